import { useQuery } from '@tanstack/react-query'
import type { BackupJobStatus } from '../../../shared/api/backup-jobs.ts'
import { isOpenJob, jobsQuery } from '../../data/backup-jobs.ts'
import { daySpan } from '../../lib/day-span.ts'

interface Wanted {
  orgId: string
  status: BackupJobStatus | undefined
  deviceId: string | undefined
  /** `2026-11-24`, where the user is. */
  day: string | undefined
  page: number
}

const limit = 50
const openShown = 100

/** A page of backups. Those that run or wait are above the first page, wherever the order of time has them. */
export function useJobList({ orgId, status, deviceId, day, page }: Wanted) {
  const filters = { orgId, deviceId, ...(day && daySpan(day)) }
  const list = useQuery(jobsQuery({ ...filters, status, page, limit }))
  const isFirst = page === 1 && status === undefined
  const open = (only: BackupJobStatus) => ({
    ...jobsQuery({ ...filters, status: only, page: 1, limit: openShown }),
    enabled: isFirst,
  })
  const running = useQuery(open('running')).data?.data ?? []
  const waiting = useQuery(open('pending')).data?.data ?? []
  const data = list.data && {
    ...list.data,
    data:
      status === undefined
        ? [
            ...(isFirst ? [...running, ...waiting].filter(isOpenJob) : []),
            ...list.data.data.filter((job) => !isOpenJob(job)),
          ]
        : list.data.data,
  }
  return { ...list, data }
}
