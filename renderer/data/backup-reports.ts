import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ProtectionState } from '../../shared/api/backup-attention.ts'
import {
  backupDashboard,
  backupStatus,
  backupUsageHistory,
  exportProtection,
  listProtection,
} from '../../shared/api/backup-reports.ts'
import { api } from '../lib/api.ts'
import { receivedFile } from '../lib/received-file.ts'
import { backupKeys } from './backup-keys.ts'

/** Live events bring what begins and ends; that a backup was missed, they do not say. */
const refetchInterval = 60_000

export const backupDashboardQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...backupKeys.reports, 'dashboard', { orgId }],
    queryFn: async ({ signal }) => (await api.call(backupDashboard, { query: { orgId } }, signal)).data,
    refetchInterval,
  })

export const backupStatusQuery = (deviceId: string) =>
  queryOptions({
    queryKey: [...backupKeys.reports, 'status', deviceId],
    queryFn: async ({ signal }) => (await api.call(backupStatus, { params: { deviceId }, query: {} }, signal)).data,
    refetchInterval,
  })

export const backupUsageQuery = (orgId: string, days: number) =>
  queryOptions({
    queryKey: [...backupKeys.reports, 'usage', { orgId, days }],
    queryFn: async ({ signal }) =>
      (await api.call(backupUsageHistory, { query: { orgId, days: String(days) } }, signal)).data,
    placeholderData: keepPreviousData,
  })

export interface ProtectionFilters {
  orgId: string
  state?: ProtectionState | undefined
  search?: string | undefined
}

export const protectionQuery = ({ page, limit, ...filters }: ProtectionFilters & { page: number; limit: number }) =>
  queryOptions({
    queryKey: [...backupKeys.reports, 'protection', { page, limit, ...filters }],
    queryFn: ({ signal }) =>
      api.call(listProtection, { query: { ...filters, page: String(page), limit: String(limit) } }, signal),
    placeholderData: keepPreviousData,
    refetchInterval,
  })

/** The same of all pages, as a CSV file. */
export async function protectionFile(filters: ProtectionFilters, signal: AbortSignal): Promise<Blob> {
  return receivedFile(await api.open(exportProtection, { query: filters }, signal), 'text/csv', signal)
}
