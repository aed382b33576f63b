import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  createSlaConfig,
  deleteSlaConfig,
  listSlaConfigs,
  listSlaEvents,
  type SlaEventType,
  slaDashboard,
  slaHistory,
  updateSlaConfig,
} from '../../shared/api/backup-sla.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { backupKeys } from './backup-keys.ts'

/** Live events bring what begins and ends; that an age grows, they do not say. */
const refetchInterval = 60_000

/** By name. */
export const slaConfigsQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...backupKeys.sla, 'configs', { orgId }],
    queryFn: async ({ signal }) => (await api.call(listSlaConfigs, { query: { orgId } }, signal)).data,
    refetchInterval,
  })

export const slaDashboardQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...backupKeys.sla, 'dashboard', { orgId }],
    queryFn: async ({ signal }) => (await api.call(slaDashboard, { query: { orgId } }, signal)).data,
    refetchInterval,
  })

export const slaHistoryQuery = (orgId: string, days: number) =>
  queryOptions({
    queryKey: [...backupKeys.sla, 'history', { orgId, days }],
    queryFn: async ({ signal }) => (await api.call(slaHistory, { query: { orgId, days: String(days) } }, signal)).data,
    placeholderData: keepPreviousData,
  })

export interface SlaEventFilters {
  orgId: string
  state?: 'open' | 'resolved' | undefined
  eventType?: SlaEventType | undefined
  configId?: string | undefined
  deviceId?: string | undefined
}

export const slaEventsQuery = ({ page, limit, ...filters }: SlaEventFilters & { page: number; limit: number }) =>
  queryOptions({
    queryKey: [...backupKeys.sla, 'events', { page, limit, ...filters }],
    queryFn: ({ signal }) =>
      api.call(listSlaEvents, { query: { ...filters, page: String(page), limit: String(limit) } }, signal),
    placeholderData: keepPreviousData,
    refetchInterval,
  })

const slaChanged = () =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: backupKeys.sla }),
    queryClient.invalidateQueries({ queryKey: backupKeys.reports }),
  ])

export type NewSla = InputOf<typeof createSlaConfig>['body']

/** Without an id it is created. */
export const saveSla = (orgId: string, id: string | undefined) => ({
  mutationFn: async (body: NewSla) =>
    (id
      ? await api.call(updateSlaConfig, { params: { id }, query: { orgId }, body })
      : await api.call(createSlaConfig, { query: { orgId }, body })
    ).data,
  onSuccess: slaChanged,
})

export const changeSla = (orgId: string, id: string) => ({
  mutationFn: (body: InputOf<typeof updateSlaConfig>['body']) =>
    api.call(updateSlaConfig, { params: { id }, query: { orgId }, body }),
  onSuccess: slaChanged,
})

export const removeSla = (orgId: string) => ({
  mutationFn: (id: string) => api.call(deleteSlaConfig, { params: { id }, query: { orgId } }),
  onSuccess: slaChanged,
})
