import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  listDeviceUsage,
  readRetentionSavings,
  readUsageForecast,
  type UsageOrder,
} from '../../shared/api/backup-usage.ts'
import { api } from '../lib/api.ts'
import { backupKeys } from './backup-keys.ts'

export const usageForecastQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...backupKeys.usage, 'forecast', { orgId }],
    queryFn: async ({ signal }) => (await api.call(readUsageForecast, { query: { orgId } }, signal)).data,
  })

export interface UsageListing {
  orgId: string
  days: number
  sort: UsageOrder
  sortDir: 'asc' | 'desc'
  search: string | undefined
  page: number
  limit: number
}

export const deviceUsageQuery = ({ days, page, limit, ...rest }: UsageListing) =>
  queryOptions({
    queryKey: [...backupKeys.usage, 'devices', { days, page, limit, ...rest }],
    queryFn: ({ signal }) =>
      api.call(
        listDeviceUsage,
        { query: { ...rest, days: String(days), page: String(page), limit: String(limit) } },
        signal,
      ),
    placeholderData: keepPreviousData,
  })

/** Looks at every snapshot: only for somebody who asks. */
export const retentionSavingsQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...backupKeys.usage, 'retention', { orgId }],
    queryFn: async ({ signal }) => (await api.call(readRetentionSavings, { query: { orgId } }, signal)).data,
    staleTime: 60_000,
  })
