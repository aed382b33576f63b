import { z } from 'zod'
import type { ResticEngine } from '../../shared/device/backup.ts'
import { type ResticSettings, runRestic } from './restic-run.ts'

const snapshots = z.array(z.object({ id: z.string(), tags: z.array(z.string()).default([]) }))
const mark = 'job:'

/** The snapshots that these backups have made, by the id of the job; null when the repository could not be asked. */
export async function snapshotsOf(
  settings: ResticSettings,
  engine: ResticEngine,
  jobIds: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, string> | null> {
  const found = new Map<string, string>()
  const onJson = (value: unknown) => {
    for (const { id, tags } of snapshots.safeParse(value).data ?? [])
      for (const jobId of jobIds) if (tags.includes(mark + jobId)) found.set(jobId, id)
  }
  const tags = jobIds.flatMap((id) => ['--tag', mark + id])
  const end = await runRestic(settings, engine, ['snapshots', '--no-lock', ...tags], signal, { onJson })
  return end.code === 0 ? found : null
}
