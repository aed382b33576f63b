import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import type { Job } from '../../../platform/jobs.ts'

/** Deletes expired authorization requests, unredeemed one-time codes, and records of codes that no provider accepts any more. */
function prune(db: Database, clock: Clock): void {
  const now = isoNow(clock)
  db.transaction(() => {
    db.run(q.deleteFrom('sso_sessions').where('expires_at', '<=', now))
    db.run(q.deleteFrom('sso_seen_codes').where('expires_at', '<=', now))
    db.run(q.deleteFrom('sso_exchange_grants').where('expires_at', '<=', now))
  })
}

export const pruneJob = (db: Database, clock: Clock): Job => ({
  name: 'sso.prune',
  description: 'Removes sign-ins that did not return from the identity provider in time',
  schedule: '45 * * * * *',
  run: () => prune(db, clock),
})
