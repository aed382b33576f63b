import { type QueryClient, type QueryKey, queryOptions } from '@tanstack/react-query'
import { backupHealth, type RecoveryReadiness, recoveryReadiness } from '../../shared/api/backup-readiness.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { backupKeys } from './backup-keys.ts'

/** Live events bring what a check changes; that time passes, they do not say. */
const refetchInterval = 60_000

const deviceKey = (deviceId: string) => [...backupKeys.readiness, 'device', deviceId] as const
const listKeys = [...backupKeys.readiness, 'list'] as const
const listKey = (orgId: string) => [...listKeys, { orgId }] as const
const healthKeys = [...backupKeys.readiness, 'health'] as const

/** Of every device of the organization, the lowest score first. */
export const readinessQuery = (orgId: string) =>
  queryOptions({
    queryKey: listKey(orgId),
    queryFn: async ({ signal }) => (await api.call(recoveryReadiness, { query: { orgId } }, signal)).data,
    refetchInterval,
  })

/** Null when the device is not protected and was never checked. */
export const deviceReadinessQuery = (orgId: string, deviceId: string) =>
  queryOptions({
    queryKey: deviceKey(deviceId),
    queryFn: async ({ signal }) => {
      const { data } = await api.call(recoveryReadiness, { query: { orgId, deviceId } }, signal)
      return data.devices[0] ?? null
    },
    refetchInterval,
  })

export const backupHealthQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...healthKeys, { orgId }],
    queryFn: async ({ signal }) => (await api.call(backupHealth, { query: { orgId } }, signal)).data,
    refetchInterval,
  })

export const calculateReadiness = (orgId: string) => ({
  mutationFn: async () => (await api.call(recoveryReadiness, { query: { orgId, refresh: 'true' } })).data,
  onSuccess: (data: RecoveryReadiness) => {
    queryClient.setQueryData(listKey(orgId), data)
    return queryClient.invalidateQueries({ queryKey: healthKeys })
  },
})

/** At night thousands of checks end, one after the other: so long a list is only read again every minute. */
const devicesReadOften = 1000

/** Something has changed how well a device could be brought back. */
export function staleReadiness(client: QueryClient, deviceId: string, stale: (key: QueryKey) => void): void {
  stale(deviceKey(deviceId))
  for (const [key, known] of client.getQueriesData<RecoveryReadiness>({ queryKey: listKeys })) {
    if (!known || known.devices.length > devicesReadOften) continue
    stale(key)
    stale(healthKeys)
  }
}
