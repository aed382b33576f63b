import { queryOptions } from '@tanstack/react-query'
import { backupHealth, type RecoveryReadiness, recoveryReadiness } from '../../shared/api/backup-readiness.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { backupKeys } from './backup-keys.ts'

/** Live events bring what a check changes; that time passes, they do not say. */
const refetchInterval = 60_000

const listKey = (orgId: string) => [...backupKeys.readinessLists, { orgId }] as const

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
    queryKey: backupKeys.readinessOf(deviceId),
    queryFn: async ({ signal }) => {
      const { data } = await api.call(recoveryReadiness, { query: { orgId, deviceId } }, signal)
      return data.devices[0] ?? null
    },
    refetchInterval,
  })

export const backupHealthQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...backupKeys.health, { orgId }],
    queryFn: async ({ signal }) => (await api.call(backupHealth, { query: { orgId } }, signal)).data,
    refetchInterval,
  })

export const calculateReadiness = (orgId: string) => ({
  mutationFn: async () => (await api.call(recoveryReadiness, { query: { orgId, refresh: 'true' } })).data,
  onSuccess: (data: RecoveryReadiness) => {
    queryClient.setQueryData(listKey(orgId), data)
    return queryClient.invalidateQueries({ queryKey: backupKeys.health })
  },
})
