import type { QueryClient, QueryKey } from '@tanstack/react-query'
import type { BackupJob } from '../../shared/api/backup-jobs.ts'
import type { jobQuery, jobsQuery } from './backup-jobs.ts'
import { backupKeys } from './backup-keys.ts'
import { homeKeys } from './home.ts'
import { patchPage } from './live-rows.ts'

type DataOf<Q extends (...args: never[]) => { queryFn?: unknown }> =
  NonNullable<ReturnType<Q>['queryFn']> extends (...args: never[]) => infer R ? Awaited<R> : never
type JobPage = DataOf<typeof jobsQuery>
type OpenJob = DataOf<typeof jobQuery>

const isPage = (data: unknown): data is JobPage =>
  typeof data === 'object' && data !== null && 'pagination' in data && 'data' in data

/** A backup as a live event brings it. Rows are patched in place; lists are read again when it begins or ends. */
export function applyJob(client: QueryClient, job: BackupJob, stale: (key: QueryKey) => void): void {
  const pages = client.getQueriesData({ queryKey: backupKeys.jobs })
  const known = pages.flatMap(([, page]) => (isPage(page) ? page.data.filter(({ id }) => id === job.id) : []))
  client.setQueriesData({ queryKey: backupKeys.jobs }, (page: unknown) =>
    isPage(page) ? patchPage<JobPage, BackupJob>(page, job.id, () => job) : page,
  )
  const isNews = known.length === 0 ? job.progress === null : known.some(({ status }) => status !== job.status)
  if (isNews) {
    stale(backupKeys.jobs)
    stale(backupKeys.reports)
    stale(homeKeys.all)
    if (job.status === 'completed' || job.status === 'partial') stale(backupKeys.snapshots)
  }
  const open = client.getQueryData<OpenJob>(backupKeys.job(job.id))
  if (!open) return
  client.setQueryData<OpenJob>(backupKeys.job(job.id), { ...open, ...job })
  // The files that were not read come with the job only.
  if (open.status !== job.status) stale(backupKeys.job(job.id))
}
