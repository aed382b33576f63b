import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { devicePresence } from '../../shared/api/device-presence.ts'
import {
  approveDevice,
  decommissionDevice,
  deleteDevicePermanently,
  denyDevice,
  deviceConnections,
  deviceHardware,
  deviceMetrics,
  deviceNetwork,
  deviceSoftware,
  deviceStats,
  listDevices,
  readDevice,
  restoreDevice,
  setDeviceMaintenance,
  updateDevice,
} from '../../shared/api/devices.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'

export const deviceKeys = {
  lists: ['devices', 'list'] as const,
  stats: ['devices', 'stats'] as const,
  groups: ['devices', 'groups'] as const,
  presence: ['devices', 'presence'] as const,
  one: (id: string) => ['devices', 'one', id] as const,
  part: (id: string, part: string) => ['devices', 'one', id, part] as const,
}

export type DeviceQuery = NonNullable<InputOf<typeof listDevices>['query']>

export const devicesQuery = (query: DeviceQuery) =>
  queryOptions({
    queryKey: [...deviceKeys.lists, query],
    queryFn: ({ signal }) => api.call(listDevices, { query }, signal),
    placeholderData: keepPreviousData,
    // Live events bring status changes; load and "last seen" change all the time, so they are polled.
    refetchInterval: 60_000,
  })

export const deviceStatsQuery = (orgId: string | undefined) =>
  queryOptions({
    queryKey: [...deviceKeys.stats, { orgId }],
    queryFn: ({ signal }) => api.call(deviceStats, { query: { orgId } }, signal),
  })

export const deviceQuery = (id: string) =>
  queryOptions({
    queryKey: deviceKeys.one(id),
    queryFn: ({ signal }) => api.call(readDevice, { params: { id } }, signal),
  })

/** When devices were online in the last 24 hours; live events have it asked again. */
export const presenceQuery = (deviceIds: readonly string[]) =>
  queryOptions({
    queryKey: [...deviceKeys.presence, deviceIds.toSorted()],
    queryFn: ({ signal }) => api.call(devicePresence, { query: { deviceIds: deviceIds.join() } }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 300_000,
  })

export const hardwareQuery = (id: string) =>
  queryOptions({
    queryKey: deviceKeys.part(id, 'hardware'),
    queryFn: ({ signal }) => api.call(deviceHardware, { params: { id } }, signal),
  })

export const networkQuery = (id: string) =>
  queryOptions({
    queryKey: deviceKeys.part(id, 'network'),
    queryFn: ({ signal }) => api.call(deviceNetwork, { params: { id } }, signal),
  })

export const connectionsQuery = (id: string) =>
  queryOptions({
    queryKey: deviceKeys.part(id, 'connections'),
    queryFn: ({ signal }) => api.call(deviceConnections, { params: { id } }, signal),
  })

const softwareLimit = 50

export const softwareQuery = (id: string, search: string | undefined, page: number) =>
  queryOptions({
    queryKey: [...deviceKeys.part(id, 'software'), { search, page }],
    queryFn: ({ signal }) =>
      api.call(
        deviceSoftware,
        { params: { id }, query: { search, page: String(page), limit: String(softwareLimit) } },
        signal,
      ),
    placeholderData: keepPreviousData,
  })

/** Short ranges follow live points, long ones are polled. */
export const metricRanges = {
  '1h': { ms: 3_600_000, label: '1 hour', isLive: true },
  '6h': { ms: 21_600_000, label: '6 hours', isLive: true },
  '24h': { ms: 86_400_000, label: '24 hours', isLive: false },
  '7d': { ms: 604_800_000, label: '7 days', isLive: false },
} as const
export type MetricRange = keyof typeof metricRanges

export const metricsQuery = (id: string, range: MetricRange) =>
  queryOptions({
    queryKey: [...deviceKeys.part(id, 'metrics'), range],
    queryFn: ({ signal }) => api.call(deviceMetrics, { params: { id }, query: { range } }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: metricRanges[range].isLive ? false : 300_000,
  })

const devicesChanged = (id: string) =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: deviceKeys.lists }),
    queryClient.invalidateQueries({ queryKey: deviceKeys.stats }),
    queryClient.invalidateQueries({ queryKey: deviceKeys.one(id) }),
  ])

type DeviceChange = InputOf<typeof updateDevice>['body']

export const changeDevice = (id: string) => ({
  mutationFn: (body: DeviceChange) => api.call(updateDevice, { params: { id }, body }),
  onSuccess: () => devicesChanged(id),
})

export const decommissionDeviceMutation = (id: string) => ({
  mutationFn: () => api.call(decommissionDevice, { params: { id } }),
  onSuccess: () => devicesChanged(id),
})

export const restoreDeviceMutation = (id: string) => ({
  mutationFn: () => api.call(restoreDevice, { params: { id } }),
  onSuccess: () => devicesChanged(id),
})

export type MaintenanceWindow = InputOf<typeof setDeviceMaintenance>['body']

export const maintainDevice = (id: string) => ({
  mutationFn: (body: MaintenanceWindow) => api.call(setDeviceMaintenance, { params: { id }, body }),
  onSuccess: () => devicesChanged(id),
})

export const approveDeviceMutation = (id: string) => ({
  mutationFn: () => api.call(approveDevice, { params: { deviceId: id } }),
  onSuccess: () => devicesChanged(id),
})

export const rejectDeviceMutation = (id: string) => ({
  mutationFn: () => api.call(denyDevice, { params: { deviceId: id } }),
  onSuccess: () => devicesChanged(id),
})

export const deleteDevice = (id: string) => ({
  mutationFn: () => api.call(deleteDevicePermanently, { params: { id } }),
  onSuccess: () => {
    queryClient.removeQueries({ queryKey: deviceKeys.one(id) })
    return Promise.all([
      queryClient.invalidateQueries({ queryKey: deviceKeys.lists }),
      queryClient.invalidateQueries({ queryKey: deviceKeys.stats }),
    ])
  },
})
