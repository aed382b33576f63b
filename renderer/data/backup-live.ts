import type { QueryClient, QueryKey } from '@tanstack/react-query'
import type { BackupJob } from '../../shared/api/backup-jobs.ts'
import type { RestoreJob } from '../../shared/api/backup-restores.ts'
import type { jobQuery, jobsQuery } from './backup-jobs.ts'
import { backupKeys } from './backup-keys.ts'
import type { restoresQuery } from './backup-restores.ts'
import { homeKeys } from './home.ts'
import { patchPage } from './live-rows.ts'
import { staleReadiness } from './stale-readiness.ts'

type DataOf<Q extends (...args: never[]) => { queryFn?: unknown }> =
  NonNullable<ReturnType<Q>['queryFn']> extends (...args: never[]) => infer R ? Awaited<R> : never
type JobPage = DataOf<typeof jobsQuery>
type OpenJob = DataOf<typeof jobQuery>
type RestorePage = DataOf<typeof restoresQuery>

const isPage = <Page extends JobPage | RestorePage>(data: unknown): data is Page =>
  typeof data === 'object' && data !== null && 'pagination' in data && 'data' in data

/** Patches the row in every list. Answers whether it has begun or ended, and lists have to be read again. */
function patchLists<Page extends { data: Row[] } & (JobPage | RestorePage), Row extends BackupJob | RestoreJob>(
  client: QueryClient,
  queryKey: QueryKey,
  row: Row,
): boolean {
  const pages = client.getQueriesData({ queryKey })
  const known = pages.flatMap(([, page]) => (isPage<Page>(page) ? page.data.filter(({ id }) => id === row.id) : []))
  client.setQueriesData({ queryKey }, (page: unknown) =>
    isPage<Page>(page) ? patchPage<Page, Row>(page, row.id, () => row) : page,
  )
  return known.length === 0 ? row.progress === null : known.some(({ status }) => status !== row.status)
}

/** A backup as a live event brings it. */
export function applyJob(client: QueryClient, job: BackupJob, stale: (key: QueryKey) => void): void {
  if (patchLists<JobPage, BackupJob>(client, backupKeys.jobs, job)) {
    stale(backupKeys.jobs)
    stale(backupKeys.reports)
    stale(homeKeys.all)
    if (job.status === 'completed' || job.status === 'partial') {
      stale(backupKeys.snapshots)
      staleReadiness(client, job.deviceId, stale)
    }
  }
  const open = client.getQueryData<OpenJob>(backupKeys.job(job.id))
  if (!open) return
  client.setQueryData<OpenJob>(backupKeys.job(job.id), { ...open, ...job })
  // The files that were not read come with the job only.
  if (open.status !== job.status) stale(backupKeys.job(job.id))
}

/** A restore as a live event brings it. */
export function applyRestore(client: QueryClient, restore: RestoreJob, stale: (key: QueryKey) => void): void {
  if (patchLists<RestorePage, RestoreJob>(client, backupKeys.restores, restore)) stale(backupKeys.restores)
  client.setQueryData<RestoreJob>(backupKeys.restore(restore.id), (open) => open && restore)
}
