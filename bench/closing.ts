import { Database } from '../server/db/database.ts'
import { listErasures } from '../shared/api/lifecycle.ts'
import { updateOrganization } from '../shared/api/organizations.ts'
import { runJob } from '../shared/api/system.ts'
import type { ReplyOf } from '../shared/endpoint.ts'
import { largeAndNext, type MeanwhileReport, measureMeanwhile, prepareLarge } from './meanwhile.ts'
import { addHistory } from './seed.ts'
import type { World } from './world.ts'

/** An organization with 10,000 devices closes, and one is deleted for good, while everybody else goes on working. */

export const closingEnv = { ENABLE_2FA: 'false' }

export const prepareClosing = (databaseFile: string): void => prepareLarge(databaseFile)

/** Until each of its devices has been asked to remove its agent. */
export async function measureClosing(world: World): Promise<MeanwhileReport> {
  const { origin, headers } = world
  const [large] = largeAndNext(world)
  const db = new Database({ file: world.databaseFile })
  const asked = db.statement(`SELECT count(*) FROM device_commands WHERE type = 'self_uninstall'`).pluck()
  const report = await measureMeanwhile(
    world,
    async () => {
      const reply = await fetch(`${origin}/api/v1${updateOrganization.path.replace(':id', large)}`, {
        method: updateOrganization.method,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ status: 'offboarding' }),
      })
      if (!reply.ok) throw new Error(`closing answered ${reply.status}: ${await reply.text()}`)
    },
    async () => {
      const done = asked.get() as number
      return done < 10_000 ? String(done) : null
    },
  )
  db.close()
  return report
}

/** Rows of history; a hundredth of the devices has a day of metrics. */
export const prepareDeletion = (databaseFile: string): void =>
  prepareLarge(databaseFile, (db, large) => {
    const ids = db.statement('SELECT id FROM devices WHERE org_id = ? LIMIT 100').pluck().all(large) as string[]
    addHistory(db, ids)
    db.statement(
      `UPDATE organizations SET status = 'archived', archive_prior_status = 'active', archived_at = @now, purge_at = @soon
       WHERE id = @large`,
    ).run({ large, now: new Date().toISOString(), soon: new Date(Date.now() + 3_600_000).toISOString() })
  })

/** Until nothing is left of it. */
export async function measureDeletion(world: World): Promise<MeanwhileReport> {
  const { origin, headers } = world
  const [large] = largeAndNext(world)
  const db = new Database({ file: world.databaseFile })
  db.statement('UPDATE organizations SET purge_at = ? WHERE id = ?').run(new Date(0).toISOString(), large)
  db.close()
  return measureMeanwhile(
    world,
    async () => {
      const reply = await fetch(`${origin}/api/v1${runJob.path.replace(':name', 'tenants.sweep')}`, {
        method: 'POST',
        headers,
      })
      if (!reply.ok) throw new Error(`the sweep answered ${reply.status}: ${await reply.text()}`)
    },
    async () => {
      const reply = await fetch(`${origin}/api/v1${listErasures.path}`, { headers })
      const { data } = (await reply.json()) as ReplyOf<typeof listErasures>
      const erasure = data.find(({ orgId }) => orgId === large)
      if (erasure?.state === 'failed') throw new Error('the deletion failed')
      return erasure?.state === 'completed' ? null : String(erasure?.done)
    },
  )
}
