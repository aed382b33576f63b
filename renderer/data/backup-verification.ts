import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  listVerifications,
  summarizeVerifications,
  type Verification,
  type VerificationStatus,
  type VerificationType,
  verifyBackup,
} from '../../shared/api/backup-verification.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { backupKeys } from './backup-keys.ts'

export const isOpenVerification = ({ status }: Pick<Verification, 'status'>): boolean =>
  status === 'pending' || status === 'running'

interface VerificationFilters {
  orgId: string
  deviceId: string
  snapshotId?: string | undefined
  limit: number
}

/** The newest checks of a device or of one snapshot. The slow polling while one is open covers a broken stream. */
export const verificationsQuery = ({ limit, ...filters }: VerificationFilters) =>
  queryOptions({
    queryKey: [...backupKeys.verifications, { limit, ...filters }],
    queryFn: async ({ signal }) =>
      (await api.call(listVerifications, { query: { ...filters, limit: String(limit) } }, signal)).data,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.some(isOpenVerification) ? 15_000 : false),
  })

/** Checks that wait or run. */
export const openVerificationsQuery = (filters: { orgId: string; deviceId?: string }) =>
  queryOptions({
    queryKey: [...backupKeys.verifications, 'open', filters],
    queryFn: async ({ signal }) => {
      const withStatus = (status: VerificationStatus) =>
        api.call(listVerifications, { query: { ...filters, status, limit: '500' } }, signal)
      const [waiting, running] = await Promise.all([withStatus('pending'), withStatus('running')])
      return [...waiting.data, ...running.data]
    },
    refetchInterval: ({ state }) => (state.data?.length ? 15_000 : false),
  })

export const verificationSummaryQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...backupKeys.verifications, 'summary', orgId],
    queryFn: async ({ signal }) => (await api.call(summarizeVerifications, { query: { orgId } }, signal)).data,
  })

export interface VerificationWish {
  deviceId: string
  verificationType: VerificationType
  snapshotId?: string | undefined
}

export const startVerification = {
  mutationFn: (body: VerificationWish) => api.call(verifyBackup, { query: {}, body }),
  onSuccess: () => queryClient.invalidateQueries({ queryKey: backupKeys.verifications }),
}
