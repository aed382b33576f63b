import { randomUUIDv7 } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fillOrganization, mentionsOf, tablesOf } from '../../../test/helpers/full-organization.ts'
import { testSeal } from '../../../test/helpers/seal.ts'
import { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { toJson } from '../../lib/json.ts'
import { createAudit } from '../../platform/audit.ts'
import { silentLog } from '../../platform/log.ts'
import { Tasks } from '../../platform/tasks/index.ts'
import { rulesOf, tableNames } from '../../tables.ts'
import { seedRoles } from '../access/index.ts'
import { Erasure, type ErasureProgress, type ErasureTask, erasureJobId } from './erasure.ts'

const at = '2026-01-01T00:00:00.000Z'
const template = migrated()

function migrated(): Buffer {
  const db = new Database({ file: ':memory:' })
  db.migrate()
  seedRoles(db, at)
  const image = db.serialize()
  db.close()
  return image
}

/** The parts of an appliance that an erasure needs. Its clock makes every statement a piece of its own. */
function appliance(db = new Database({ image: template })) {
  let passed = 0
  const clock = { now: () => Date.parse(at) + passed, monotonic: () => (passed += 100) }
  const tasks = new Tasks(db, clock, silentLog())
  const erasure = new Erasure({ db, clock, audit: createAudit(db, clock, testSeal), tasks, secrets: testSeal })
  onTestFinished(async () => {
    await tasks.stop()
    db.close()
  })
  return { db, tasks, erasure }
}

type Appliance = ReturnType<typeof appliance>

function partnerOf({ db }: Appliance): string {
  const id = randomUUIDv7()
  db.run(
    q.insertInto('partners').values({ id, name: 'Acme', slug: id, status: 'active', created_at: at, updated_at: at }),
  )
  return id
}

function fullOrganization({ db }: Appliance, partnerId: string, status: 'purging' | 'active' = 'purging') {
  const id = randomUUIDv7()
  const row = {
    id,
    partner_id: partnerId,
    name: 'Berlin',
    slug: `berlin-${id}`,
    status,
    created_at: at,
    updated_at: at,
  }
  db.run(q.insertInto('organizations').values(row))
  const ids = fillOrganization(db, { id, partnerId })
  return { id, name: row.name, slug: row.slug, partner_id: partnerId, ids }
}

async function finished({ tasks }: Appliance, orgId: string): Promise<ErasureTask> {
  const task = () => tasks.find(erasureJobId(orgId)) as ErasureTask
  await expect.poll(() => task().finishedAt, { interval: 5 }).not.toBeNull()
  return task()
}

const contentOf = (db: Database, table: string) => JSON.stringify(db.statement(`SELECT * FROM ${table}`).all())
const contents = (db: Database) => Object.fromEntries(tablesOf(db).map((table) => [table, contentOf(db, table)]))

test('the test organization has rows in every table that an erasure empties', () => {
  const scene = appliance()
  fullOrganization(scene, partnerOf(scene))
  const erased = tableNames
    .map((table) => [table, rulesOf(table).erasure] as const)
    .filter(([, rule]) => 'goWith' in rule)
  const empty = erased.filter(([table]) => contentOf(scene.db, table) === '[]').map(([table]) => table)
  expect(empty).toEqual([])
})

test('after an erasure only the audit log and the task still mention the organization or its contents', async () => {
  const scene = appliance()
  const { db, tasks, erasure } = scene
  const partnerId = partnerOf(scene)
  const untouched = contents(db)
  const org = fullOrganization(scene, partnerId)
  db.transaction(() => erasure.enqueue(org))
  tasks.start()
  expect(await finished(scene, org.id)).toMatchObject({ state: 'completed', error: null })
  expect(mentionsOf(db, org.ids)).toEqual(['audit_logs', 'tasks'])
  const log = db.all(q.selectFrom('audit_logs').selectAll())
  expect(log).toMatchObject([{ org_id: null, partner_id: partnerId, action: 'tenant.erasure.completed' }])
  expect(JSON.parse(log[0]?.details ?? '')).toMatchObject({ orgId: org.id, rows: { devices: 3, device_metrics: 15 } })
  // The user keeps the account and loses its sessions. What is in the backup store may be removed from there.
  const changed = Object.entries(contents(db)).filter(([table, text]) => untouched[table] !== text)
  const forgotten = 'backup_forgotten_repositories'
  expect(changed.map(([table]) => table).sort()).toEqual(['audit_chains', 'audit_logs', forgotten, 'tasks', 'users'])
  expect(db.check()).toEqual([])
  const again = { id: randomUUIDv7(), partner_id: partnerId, name: 'Berlin', slug: `berlin-${org.id}` }
  db.run(q.insertInto('organizations').values({ ...again, created_at: at, updated_at: at }))
})

test('after an erasure the database file holds no bytes of the erased contacts', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'homeport-test-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const file = join(dir, 'homeport.db')
  const db = new Database({ file })
  db.migrate()
  seedRoles(db, at)
  const site = appliance(db)
  const org = fullOrganization(site, partnerOf(site))
  const contacts = db.statement(
    `INSERT INTO contacts (id, org_id, name, name_key, created_at, updated_at)
     SELECT 'c' || value, ?, 'Swordfish ' || value, 'swordfish ' || value, '', '' FROM json_each(?)`,
  )
  contacts.run(org.id, JSON.stringify(Array.from({ length: 300 }, (_, n) => n)))
  const traces = () => {
    db.checkpoint()
    return readFileSync(file, 'latin1').split('Swordfish').length - 1
  }
  expect(traces()).toBeGreaterThanOrEqual(300)
  db.transaction(() => site.erasure.enqueue(org))
  site.tasks.start()
  await finished(site, org.id)
  expect(traces()).toBe(0)
})

test('an erasure leaves the rows of another organization and its members unchanged', async () => {
  const scene = appliance()
  const { db, tasks, erasure } = scene
  const partnerId = partnerOf(scene)
  const neighbour = fullOrganization(scene, partnerId, 'active')
  const member = db.first(q.selectFrom('organization_users').selectAll()) as { user_id: string }
  const before = contents(db)
  const org = fullOrganization(scene, partnerId)
  const [role] = db.all(q.selectFrom('roles').select('id').where('org_id', '=', org.id))
  const both = { id: randomUUIDv7(), org_id: org.id, user_id: member.user_id, role_id: role?.id as string }
  db.run(q.insertInto('organization_users').values({ ...both, created_at: at }))
  const colleague = { id: randomUUIDv7(), partner_id: partnerId, user_id: member.user_id, created_at: at }
  const [partnerRole] = db.all(q.selectFrom('roles').select('id').where('scope', '=', 'partner'))
  const org_ids = toJson([neighbour.id, org.id])
  db.run(
    q
      .insertInto('partner_users')
      .values({ ...colleague, role_id: partnerRole?.id as string, org_access: 'selected', org_ids }),
  )
  db.transaction(() => erasure.enqueue(org))
  tasks.start()
  await finished(scene, org.id)
  expect(db.first(q.selectFrom('partner_users').select('org_ids'))).toEqual({ org_ids: toJson([neighbour.id]) })
  const after = contents(db)
  const same = tablesOf(db).filter((table) => after[table] === before[table])
  const own = tableNames.filter((table) => 'goWith' in rulesOf(table).erasure)
  const changed = own.filter((table) => !same.includes(table))
  expect(changed).toEqual(['audit_logs', 'audit_chains'])
})

test('an erasure that is stopped repeatedly resumes where it stopped and completes once', async () => {
  const scene = appliance()
  const { db, tasks, erasure } = scene
  const org = fullOrganization(scene, partnerOf(scene))
  db.transaction(() => erasure.enqueue(org))
  const seen: ErasureProgress[] = []
  for (let starts = 0; !tasks.find(erasureJobId(org.id))?.finishedAt; starts++) {
    expect(starts).toBeLessThan(500)
    tasks.start()
    await new Promise((resolve) => setTimeout(resolve, 5))
    await tasks.stop()
    const { progress } = tasks.find(erasureJobId(org.id)) as ErasureTask
    if (progress) seen.push(progress)
    expect(db.check()).toEqual([])
  }
  expect(seen.length).toBeGreaterThan(5)
  expect(new Set(seen.map(({ total }) => total)).size).toBe(1)
  expect(seen.map(({ done }) => done)).toEqual(seen.map(({ done }) => done).sort((a, b) => a - b))
  expect(seen.at(-1)?.done).toBe(seen.at(-1)?.total)
  expect(mentionsOf(db, org.ids)).toEqual(['audit_logs', 'tasks'])
  const done = q.selectFrom('audit_logs').selectAll().where('action', '=', 'tenant.erasure.completed')
  expect(db.all(done)).toHaveLength(1)
})

test('an erasure that crashes before it is marked completed does so at the next start, with one audit event', async () => {
  const scene = appliance()
  const { db, tasks, erasure } = scene
  const org = fullOrganization(scene, partnerOf(scene))
  db.transaction(() => erasure.enqueue(org))
  tasks.start()
  await finished(scene, org.id)
  await tasks.stop()
  const lease_until = at
  const unfinished = { state: 'active', finished_at: null, lease_until, result: null } as const
  db.run(q.updateTable('tasks').set(unfinished).where('org_id', '=', org.id))
  tasks.start()
  expect(await finished(scene, org.id)).toMatchObject({ state: 'completed' })
  const done = q.selectFrom('audit_logs').selectAll().where('action', '=', 'tenant.erasure.completed')
  expect(db.all(done)).toHaveLength(1)
})

test('an erasure refuses an active organization with refused_status_guard unless it was deleted', async () => {
  const scene = appliance()
  const { db, tasks, erasure } = scene
  const org = fullOrganization(scene, partnerOf(scene), 'active')
  const before = contentOf(db, 'devices')
  db.transaction(() => erasure.enqueue(org))
  tasks.start()
  expect(await finished(scene, org.id)).toMatchObject({ state: 'failed', error: 'refused_status_guard' })
  expect(contentOf(db, 'devices')).toBe(before)
  const refusals = db.all(q.selectFrom('audit_logs').select(['action', 'org_id']).where('action', 'like', 'tenant.%'))
  expect(refusals).toEqual([{ action: 'tenant.erasure.refused_status_guard', org_id: null }])
  // A deleted organization, such as the one left by a merge, is erased whatever its status.
  db.run(q.updateTable('organizations').set({ deleted_at: at }).where('id', '=', org.id))
  db.transaction(() => erasure.enqueue(org))
  expect(await finished(scene, org.id)).toMatchObject({ state: 'completed' })
})

test('a failed erasure writes an audit event and leaves the organization in status purging', async () => {
  const scene = appliance()
  const { db, tasks, erasure } = scene
  const org = fullOrganization(scene, partnerOf(scene))
  db.statement(`CREATE TRIGGER broken BEFORE DELETE ON sites BEGIN SELECT raise(ABORT, 'disk I/O error'); END`).run()
  db.transaction(() => erasure.enqueue(org))
  tasks.start()
  expect(await finished(scene, org.id)).toMatchObject({ state: 'failed', error: 'internal_error' })
  const events = db.all(
    q.selectFrom('audit_logs').select(['action', 'org_id', 'result']).where('action', 'like', 'tenant.%'),
  )
  expect(events).toEqual([{ action: 'tenant.erasure.failed', org_id: null, result: 'failure' }])
  expect(db.first(q.selectFrom('organizations').select('status'))).toEqual({ status: 'purging' })
})

test('audit events of an organization cannot be deleted directly, even when its erasure is queued', () => {
  const scene = appliance()
  const org = fullOrganization(scene, partnerOf(scene))
  const attempt = () => scene.db.run(q.deleteFrom('audit_logs').where('org_id', '=', org.id))
  expect(attempt).toThrow('append-only')
  scene.db.transaction(() => scene.erasure.enqueue(org))
  expect(attempt).toThrow('append-only')
})
