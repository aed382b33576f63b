import type { Database } from '../../db/database.ts'
import type { Audit } from '../../platform/audit.ts'
import type { Clock } from '../../platform/clock.ts'
import type { LiveEvents } from '../../platform/live.ts'
import type { Log } from '../../platform/log.ts'
import type { Connections } from '../device-connections/index.ts'
import type { Erasure, TenantJobs } from '../lifecycle/index.ts'
import { MergeEnd } from './merge-end.ts'
import { interrupted, MergeJob } from './merge-job.ts'
import { Merges } from './merges.ts'
import { mergeRecovery } from './recovery.ts'
import { assertPoliciesFit } from './self-check.ts'

interface Parts {
  db: Database
  clock: Clock
  log: Log
  audit: Audit
  live: LiveEvents
  jobs: TenantJobs
  erasure: Erasure
  connections: Connections
  config: { merge: { maxRows: number; fenceDrainMs: number } }
}

/** Throws when a table has no policy that fits it. */
export function createMerges(parts: Parts) {
  const { db, jobs, config } = parts
  assertPoliciesFit(db)
  const end = new MergeEnd(parts)
  const work = new MergeJob({ ...parts, end, fenceDrainMs: config.merge.fenceDrainMs })
  jobs.handle('merge', {
    run: (job, report, signal) => work.run(job, report, signal),
    onFailure: (job, reason) => {
      const action = reason === interrupted ? 'org.merge.unfenced_by_sweeper' : 'org.merge.failed'
      end.unfence(job.org_id, action, reason)
    },
  })
  return {
    merges: new Merges({ ...parts, maxRows: config.merge.maxRows }),
    mergeRecovery: mergeRecovery({ ...parts, work, end }),
  }
}
