import type { Database } from '../../db/database.ts'
import type { Audit } from '../../platform/audit.ts'
import type { Clock } from '../../platform/clock.ts'
import type { LiveEvents } from '../../platform/live.ts'
import type { Log } from '../../platform/log.ts'
import type { Tasks } from '../../platform/tasks/index.ts'
import type { Connections } from '../connections/index.ts'
import { type Erasure, oneOfPartner, tenantOf } from '../lifecycle/index.ts'
import { MergeEnd } from './merge-end.ts'
import { interrupted, MergeJob, type MergeQueue } from './merge-job.ts'
import { Merges } from './merges.ts'
import { mergeRecovery } from './recovery.ts'
import { assertPoliciesFit } from './self-check.ts'

interface Parts {
  db: Database
  clock: Clock
  log: Log
  audit: Audit
  live: LiveEvents
  tasks: Tasks
  erasure: Erasure
  connections: Connections
  config: { merge: { maxRows: number; fenceDrainMs: number } }
}

/** Throws when a table has no policy that fits it. */
export function createMerges(parts: Parts) {
  const { db, tasks, config } = parts
  assertPoliciesFit(db)
  const end = new MergeEnd(parts)
  const work = new MergeJob({ ...parts, end, fenceDrainMs: config.merge.fenceDrainMs })
  const queue: MergeQueue = tasks.register({
    name: 'organization.merge',
    description: 'Merges an organization into another one',
    concurrency: 2,
    keyOf: oneOfPartner,
    attempts: 1,
    keepMs: Number.POSITIVE_INFINITY,
    amountOf: ({ movedRows, totalRows }) => ({ done: movedRows, total: totalRows }),
    run: (task, context) => work.run(task, context),
    onFailed: (task, reason) => {
      const action = reason === interrupted ? 'org.merge.unfenced_by_sweeper' : 'org.merge.failed'
      end.unfence(tenantOf(task).orgId, action, reason)
    },
  })
  return {
    merges: new Merges({ ...parts, queue, maxRows: config.merge.maxRows }),
    mergeRecovery: mergeRecovery({ ...parts, queue, work, end }),
  }
}
