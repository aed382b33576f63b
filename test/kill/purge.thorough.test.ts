import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../server/db/database.ts'
import { q } from '../../server/db/query.ts'
import { type Amounts, fillOrganization, mentionsOf } from '../helpers/full-organization.ts'
import { type KillableAppliance, killableAppliance, setUp } from './scene.ts'

const amounts: Amounts = { devices: 120, perDevice: { software: 100, metrics: 400, commands: 20, events: 20 } }

/** An appliance that is off, with a large archived organization that was to be purged an hour ago. */
async function overdue() {
  const appliance = await killableAppliance()
  const { org } = await setUp(appliance)
  await appliance.kill()
  const ids = inDatabase(appliance, (db) => {
    const found = fillOrganization(db, { id: org.id, partnerId: org.partnerId }, amounts)
    const past = new Date(Date.now() - 3_600_000).toISOString()
    const archived = { status: 'archived', archived_at: past, purge_at: past, archive_prior_status: 'active' } as const
    db.run(q.updateTable('organizations').set(archived).where('id', '=', org.id))
    return found
  })
  return { appliance, org, ids }
}

function inDatabase<T>(appliance: KillableAppliance, look: (db: Database) => T): T {
  const db = appliance.openDatabase()
  try {
    return look(db)
  } finally {
    db.close()
  }
}

const statusOf = (db: Database, orgId: string) =>
  db.first(q.selectFrom('organizations').select('status').where('id', '=', orgId))?.status ?? 'gone'

const stepOf = (db: Database, orgId: string) => {
  const job = db.first(q.selectFrom('tasks').selectAll().where('org_id', '=', orgId))
  const {
    done = 0,
    total = null,
    table = null,
  } = JSON.parse(job?.progress ?? '{}') as {
    done?: number
    total?: number
    table?: string
  }
  return { state: job?.state ?? null, done, total, table }
}
type Step = ReturnType<typeof stepOf>

const isAt = (part: number) => (step: Step) => step.total !== null && step.done >= part * step.total
/** The moments at which the server is killed. */
const moments: [name: string, isNow: (step: Step) => boolean][] = [
  ['the purge has begun', ({ state }) => state !== null],
  ['the erasure is at work', ({ state }) => state === 'active'],
  ['a quarter is gone', isAt(0.25)],
  ['half is gone', isAt(0.5)],
  ['nearly all is gone', isAt(0.9)],
  ['the log is being deleted', ({ table, state }) => table === 'audit_logs' || state === 'completed'],
]

test('a purge that is killed at each of its steps continues where it was, and ends completely', async () => {
  const { appliance, org, ids } = await overdue()
  const watch = appliance.openDatabase()
  onTestFinished(() => watch.close())
  const steps: Step[] = []
  for (const [name, isNow] of moments) {
    await appliance.start()
    for (const end = Date.now() + 60_000; !isNow(stepOf(watch, org.id)); await sleep(1))
      if (Date.now() > end) throw new Error(`never: ${name}; ${JSON.stringify(stepOf(watch, org.id))}`)
    await appliance.kill()
    expect(
      inDatabase(appliance, (db) => db.check()),
      name,
    ).toEqual([])
    const step = stepOf(watch, org.id)
    steps.push(step)
    // Either the whole organization is there to be purged, or none of it.
    expect([step.state, statusOf(watch, org.id)], name).toSatisfy(
      ([state, status]) => status === 'purging' || (status === 'gone' && (state === 'active' || state === 'completed')),
    )
  }
  const done = steps.map((step) => step.done)
  expect(done).toEqual([...done].sort((a, b) => a - b))
  expect(new Set(steps.map(({ total }) => total).filter(Boolean)).size).toBe(1)
  expect(done.at(-1)).toBeGreaterThan(done[Math.floor(done.length / 2) - 1] as number)

  await appliance.start()
  for (const end = Date.now() + 60_000; stepOf(watch, org.id).state !== 'completed'; await sleep(5))
    if (Date.now() > end) throw new Error(JSON.stringify(stepOf(watch, org.id)))
  await appliance.kill()
  expect(statusOf(watch, org.id)).toBe('gone')
  expect(mentionsOf(watch, ids)).toEqual(['audit_chains', 'audit_logs', 'tasks'])
  const events = q.selectFrom('audit_logs').select(['action', 'org_id']).where('resource_id', '=', org.id)
  const told = watch.all(events).map(({ action }) => action)
  expect(told).toEqual(['org.archive.purge_enqueued', 'organization.create', 'tenant.erasure.completed'])
  expect(watch.check()).toEqual([])
})
