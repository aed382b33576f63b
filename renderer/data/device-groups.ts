import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  addGroupDevices,
  createDeviceGroup,
  deleteDeviceGroup,
  listDeviceGroups,
  listGroupDevices,
  membershipLog,
  pinGroupDevice,
  previewGroupRule,
  removeGroupDevice,
  unpinGroupDevice,
  updateDeviceGroup,
} from '../../shared/api/device-groups.ts'
import { listDevices } from '../../shared/api/devices.ts'
import type { FilterConditions } from '../../shared/device-filter.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { searchable } from '../../shared/paging.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { deviceKeys } from './devices.ts'

export const deviceGroupsReplyQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...deviceKeys.groups, 'of', orgId],
    queryFn: ({ signal }) => api.call(listDeviceGroups, { query: { orgId } }, signal),
  })

/** All groups of an organization. */
export const deviceGroupsQuery = (orgId: string) =>
  queryOptions({ ...deviceGroupsReplyQuery(orgId), select: ({ data }) => data })

/** The devices of a group as the tenant tree shows them. */
export const groupDevicesQuery = (groupId: string) =>
  queryOptions({
    queryKey: [...deviceKeys.groups, 'devices', groupId],
    queryFn: ({ signal }) => api.call(listGroupDevices, { params: { id: groupId } }, signal),
  })

export const groupMembersQuery = (groupId: string) =>
  queryOptions({
    queryKey: [...deviceKeys.groups, 'members', groupId],
    queryFn: async ({ signal }) => (await api.call(listGroupDevices, { params: { id: groupId } }, signal)).data,
  })

export const membershipHistoryQuery = (groupId: string, { limit, page }: { limit: number; page: number }) => {
  const query = { limit: String(limit), offset: String((page - 1) * limit) }
  return queryOptions({
    queryKey: [...deviceKeys.groups, 'history', groupId, query],
    queryFn: ({ signal }) => api.call(membershipLog, { params: { id: groupId }, query }, signal),
    placeholderData: keepPreviousData,
  })
}

interface RulePreviewInput {
  orgId: string
  siteId: string | null
  /** Null while the rule is incomplete. */
  rule: FilterConditions | null
}

export const rulePreviewQuery = ({ orgId, siteId, rule }: RulePreviewInput) =>
  queryOptions({
    queryKey: [...deviceKeys.groups, 'trial', { orgId, siteId, rule }],
    queryFn: async ({ signal }) => {
      const body = { orgId, siteId, filterConditions: rule as unknown as Record<string, unknown> }
      return (await api.call(previewGroupRule, { query: {}, body }, signal)).data
    },
    enabled: rule !== null,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })

/** For a field that finds devices by name. */
interface DeviceSearch {
  orgId: string
  siteId?: string | undefined
  search: string
  includeDecommissioned?: 'true'
}

export const deviceSearchQuery = (query: DeviceSearch) =>
  queryOptions({
    queryKey: [...deviceKeys.lists, 'found', query],
    queryFn: async ({ signal }) =>
      (
        await api.call(
          listDevices,
          { query: { ...query, search: searchable(query.search), page: '1', limit: '20', sort: 'hostname' } },
          signal,
        )
      ).data,
    placeholderData: keepPreviousData,
  })

/** Groups show in the tenant tree, on devices and in the filters of lists. */
const groupsChanged = () => queryClient.invalidateQueries({ queryKey: ['devices'] })

export type GroupInput = InputOf<typeof createDeviceGroup>['body']

/** Creates a group if there is no `id`. */
export const saveGroup = (orgId: string, id: string | undefined) => ({
  mutationFn: ({ type, deviceIds, ...fields }: GroupInput) =>
    id === undefined
      ? api.call(createDeviceGroup, { query: {}, body: { orgId, type, deviceIds, ...fields } })
      : api.call(updateDeviceGroup, { params: { id }, body: fields }),
  onSuccess: groupsChanged,
})

export const removeGroup = {
  mutationFn: (id: string) => api.call(deleteDeviceGroup, { params: { id } }),
  onSuccess: groupsChanged,
}

export const addGroupDevicesMutation = (id: string) => ({
  mutationFn: (deviceIds: string[]) => api.call(addGroupDevices, { params: { id }, body: { deviceIds } }),
  onSuccess: groupsChanged,
})

const forEachDevice = (change: (deviceId: string) => Promise<unknown>) => ({
  mutationFn: async (deviceIds: string[]) => {
    for (const deviceId of deviceIds) await change(deviceId)
  },
  // The devices before one that is refused are changed.
  onSettled: groupsChanged,
})

export const pinGroupDevices = (id: string) =>
  forEachDevice((deviceId) => api.call(pinGroupDevice, { params: { id, deviceId } }))

export const unpinGroupDevices = (id: string) =>
  forEachDevice((deviceId) => api.call(unpinGroupDevice, { params: { id, deviceId } }))

export const removeGroupDevices = (id: string) =>
  forEachDevice((deviceId) => api.call(removeGroupDevice, { params: { id, deviceId } }))
