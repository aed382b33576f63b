import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { toJson } from '../../lib/json.ts'
import { minute } from '../../platform/clock.ts'
import type { RestoreDispatch } from './dispatch.ts'
import type { RestoreLedger } from './ledger.ts'
import { openStatuses } from './store.ts'

/** Restores of large disks take hours: what ends them is silence. */
const patienceMs = 30 * minute

/** Gives up on restores of which nothing is heard any more. Answers how many. */
export function giveUpOnSilentRestores(db: Database, ledger: RestoreLedger, dispatch: RestoreDispatch): number {
  // Nobody says that maintenance is over that a crash has ended.
  dispatch.pushes.toAll()
  const open = db.all(q.selectFrom('restore_jobs').selectAll().where('status', 'in', openStatuses))
  const silent = open.filter((row) => {
    if (row.status === 'pending' && dispatch.heldRepository(row) !== null) ledger.lastHeard.note(row.id)
    return ledger.lastHeard.silenceOf(row.id) > patienceMs
  })
  for (const row of silent) {
    const error =
      row.status === 'running'
        ? 'Server-side timeout: no response from agent after 30 minutes'
        : 'Command expired: agent never received the command (30 min timeout)'
    db.transaction(() =>
      ledger.giveUp(row, 'failed', {
        timed_out_by_server: 1,
        result: toJson({ error, timedOutBy: 'server' as const }),
      }),
    )
    if (row.status === 'running') dispatch.stop(row.device_id, row.id)
  }
  return silent.length
}
