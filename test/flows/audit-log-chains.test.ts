import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { type AuditChain, type AuditRow, eventChecksum } from '../../server/platform/audit-chain.ts'
import { day } from '../../server/platform/clock.ts'
import {
  type AuditFault,
  listAuditChains,
  listAuditEvents,
  listAuditLog,
  readAuditEvent,
  verifyAuditLog,
} from '../../shared/api/audit-log.ts'
import { runJob } from '../../shared/api/system.ts'
import { writer } from '../helpers/audit-writer.ts'
import { eventually } from '../helpers/eventually.ts'
import { bootstrapped, organizationOf, otherCompany, person } from '../helpers/factories.ts'
import { auditOf } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { behindItsBack, chainsOf } from './audit-kit.ts'

let app: TestApp
let token: string
beforeAll(async () => {
  app = await testApp({ logs: true })
  token = (await bootstrapped(app)).token
  return () => app[Symbol.asyncDispose]()
})

const asAda = () => ({ token })
const rowsOf = (orgId: string) =>
  app.db.all(q.selectFrom('audit_logs').selectAll().where('org_id', '=', orgId).orderBy('seq'))
const chainRow = (orgId: string) =>
  app.db.first(q.selectFrom('audit_chains').selectAll().where('org_id', '=', orgId)) as AuditChain

/** The chain of a new organization, with events of another chain in between. */
async function scene() {
  const org = await organizationOf(app, token)
  const neighbour = await organizationOf(app, token, 'Neighbour')
  const write = writer(app)
  for (const resourceName of ['one', 'two', 'three']) {
    write({ orgId: org.id, resourceName })
    write({ orgId: neighbour.id })
  }
  const [created, one, two, three] = rowsOf(org.id)
  if (!created || !one || !two || !three) throw new Error('the chain is too short')
  return { org, created, one, two, three }
}

async function verdictOn(orgId: string) {
  const before = await chainViewOf(orgId)
  app.clock.advance(1000)
  expect((await app.call(verifyAuditLog, {}, asAda())).status).toBe(202)
  await expect.poll(async () => (await chainViewOf(orgId))?.checkedAt).not.toBe(before?.checkedAt)
  return (await chainViewOf(orgId))?.fault ?? null
}
async function chainViewOf(orgId: string) {
  const { body } = await app.call(listAuditChains, { query: { limit: '100' } }, asAda())
  return body.data.find((chain) => chain.orgId === orgId)
}

type Row = ReturnType<typeof rowsOf>[number]

/** Recomputes the checksum, as an attacker who knows the algorithm would. */
function rehashed(row: Row, changes: Partial<AuditRow>, previous = row.prev_checksum) {
  const { seq, checksum: _, prev_checksum: __, ...rest } = { ...row, ...changes }
  return { ...rest, seq, prev_checksum: previous, checksum: eventChecksum(previous, rest as AuditRow) }
}
/** Replaces the event with this number. */
const putIn = (row: ReturnType<typeof rehashed>) => {
  behindItsBack(app, `DELETE FROM audit_logs WHERE seq = ${row.seq}`)
  app.db.run(q.insertInto('audit_logs').values(row))
}
type Scene = Awaited<ReturnType<typeof scene>>

test('an untampered log is intact, and the chain shows when it was checked', async () => {
  const { org } = await scene()
  expect(await verdictOn(org.id)).toBeNull()
  expect(await chainViewOf(org.id)).toMatchObject({
    orgName: org.name,
    events: 4,
    checkedAt: new Date(app.clock.now()).toISOString(),
    isBeingChecked: false,
    fault: null,
    unsealedUntil: null,
  })
})

type Attack = [what: string, fault: AuditFault, at: keyof Omit<Scene, 'org'>, attack: (scene: Scene) => void]

test.each<Attack>([
  [
    'an event that was changed',
    'changed',
    'two',
    ({ two }) => behindItsBack(app, `UPDATE audit_logs SET action = 'test.nothing' WHERE seq = ${two.seq}`),
  ],
  [
    'an event that was changed together with its checksum, by the one that no longer follows it',
    'missing',
    'three',
    ({ two }) => putIn(rehashed(two, { action: 'test.nothing' })),
  ],
  [
    'the newest event, changed together with its checksum',
    'changed',
    'three',
    ({ three }) => putIn(rehashed(three, { action: 'test.nothing' })),
  ],
  [
    'an event given to somebody else',
    'missing',
    'three',
    ({ two }) => behindItsBack(app, `UPDATE audit_logs SET org_id = 'elsewhere' WHERE seq = ${two.seq}`),
  ],
  [
    'an event that was removed, by the one that should follow it',
    'missing',
    'three',
    ({ two }) => behindItsBack(app, `DELETE FROM audit_logs WHERE seq = ${two.seq}`),
  ],
  [
    'a beginning that was cut off',
    'missing',
    'two',
    ({ created, one }) => behindItsBack(app, `DELETE FROM audit_logs WHERE seq IN (${created.seq}, ${one.seq})`),
  ],
  [
    'an end that was cut off, by the last event there is',
    'missing',
    'one',
    ({ two, three }) => behindItsBack(app, `DELETE FROM audit_logs WHERE seq IN (${two.seq}, ${three.seq})`),
  ],
])('the check finds %s', async (_what, fault, at, attack) => {
  const told = await scene()
  attack(told)
  const { id, timestamp } = told[at]
  expect(await verdictOn(told.org.id)).toEqual({ kind: fault, eventId: id, at: timestamp })
  const [line] = app.logLines.filter((each) => each.includes(told.org.id) && each.includes('tampered'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 50, fault })
})

test.each<[what: string, put: (scene: Scene) => [like: Row, seq: number, behind: string | null]]>([
  ['between two others, with a checksum that fits', ({ one }) => [one, one.seq + 1, one.checksum]],
  ['between two others, with any checksum', ({ one }) => [one, one.seq + 1, 'nonsense']],
  ['behind the newest', ({ three }) => [three, three.seq + 1, three.checksum]],
  ['before the first', ({ created }) => [created, -created.seq, null]],
])('the check finds an event inserted %s', async (_what, put) => {
  const told = await scene()
  const [like, seq, behind] = put(told)
  const row = rehashed({ ...like, seq }, { id: randomUUID() }, behind)
  putIn(row)
  expect(await verdictOn(told.org.id)).toEqual({ kind: 'added', eventId: row.id, at: row.timestamp })
})

test.each<[what: string, owner: (scene: Scene) => Partial<AuditRow>]>([
  ['as if from before its company was named', () => ({ partner_id: null })],
  ['in the name of a company that is none', () => ({ partner_id: 'nonsense' })],
])('the check finds an event added outside the chain, %s', async (_what, owner) => {
  const told = await scene()
  const row = rehashed({ ...told.three, seq: told.three.seq + 2 }, { id: randomUUID(), ...owner(told) }, null)
  putIn(row)
  const member = await person(app, { email: `${row.id}@x.test`, scope: 'organization', orgId: told.org.id })
  const { body } = await app.call(listAuditLog, {}, member)
  expect(
    body.entries.map(({ id }) => id),
    'people are shown it',
  ).toContain(row.id)
  expect((await app.call(verifyAuditLog, {}, member)).status).toBe(202)
  await eventually(async () => {
    const { data, summary } = (await app.call(listAuditChains, {}, member)).body
    expect(summary).toMatchObject({ chains: 2, broken: 1, unchecked: 0 })
    expect(data[0]).toMatchObject({ events: 1, fault: { kind: 'added', eventId: row.id } })
  })
})

test('the check finds an added event whose owner is an empty string instead of null', async () => {
  const { three } = await scene()
  const operator = await person(app, { email: 'appliance@x.test', scope: 'system' })
  writer(app)({ orgId: null, partnerId: null })
  putIn(rehashed({ ...three, seq: three.seq + 2 }, { id: randomUUID(), org_id: null, partner_id: '' }, null))
  expect((await app.call(verifyAuditLog, {}, operator)).status).toBe(202)
  await expect
    .poll(() => app.db.statement("SELECT fault FROM audit_chains WHERE coalesce(partner_id, '') = ''").pluck().all())
    .toContain('added')
})

test.each<[what: string, forge: (scene: Scene) => void]>([
  [
    'whose end was cut off together with the record of it',
    ({ org, two, three }) =>
      behindItsBack(
        app,
        `DELETE FROM audit_logs WHERE seq = ${three.seq}`,
        `UPDATE audit_chains SET head_seq = ${two.seq}, head = '${two.checksum}', length = 3 WHERE org_id = '${org.id}'`,
      ),
  ],
  [
    'that was made anew from end to end',
    ({ org, three }) => {
      const forged = rehashed(three, { action: 'test.nothing' })
      putIn(forged)
      app.db.statement('UPDATE audit_chains SET head = ? WHERE org_id = ?').run(forged.checksum, org.id)
    },
  ],
  [
    'whose beginning was cut off as if its time were over',
    ({ org, one, two }) =>
      behindItsBack(
        app,
        `UPDATE audit_chains SET first_seq = ${two.seq}, anchor = '${one.checksum}', length = 2 WHERE org_id = '${org.id}'`,
        `DELETE FROM audit_logs WHERE org_id = '${org.id}' AND seq < ${two.seq}`,
      ),
  ],
  [
    'whose end was cut off, as if it were from before there were seals',
    ({ org, two, three }) =>
      behindItsBack(
        app,
        `DELETE FROM audit_logs WHERE seq = ${three.seq}`,
        `UPDATE audit_chains SET head_seq = ${two.seq}, head = '${two.checksum}', length = 3, seal = NULL WHERE org_id = '${org.id}'`,
      ),
  ],
])('the seal reveals a chain %s', async (_what, forge) => {
  const told = await scene()
  forge(told)
  expect(await verdictOn(told.org.id)).toMatchObject({ kind: 'seal' })
})

test('a recorded fault stays, whatever is written or repaired later', async () => {
  const { org, one, two } = await scene()
  behindItsBack(app, `UPDATE audit_logs SET action = 'test.nothing' WHERE seq = ${two.seq}`)
  const found = await verdictOn(org.id)
  expect(found).toMatchObject({ kind: 'changed', eventId: two.id })
  behindItsBack(app, `UPDATE audit_logs SET action = '${two.action}' WHERE seq = ${two.seq}`)
  writer(app)({ orgId: org.id })
  expect(await verdictOn(org.id)).toEqual(found)
  behindItsBack(app, `UPDATE audit_logs SET action = 'test.nothing' WHERE seq = ${one.seq}`)
  expect(await verdictOn(org.id)).toEqual(found)
  behindItsBack(app, `UPDATE audit_logs SET action = '${one.action}' WHERE seq = ${one.seq}`)
  const told = app.logLines.filter((line) => line.includes(org.id) && line.includes('tampered'))
  expect(told, 'once is enough').toHaveLength(1)
  app.db.statement('UPDATE audit_chains SET fault = NULL, fault_seq = NULL WHERE org_id = ?').run(org.id)
  expect(await verdictOn(org.id)).toMatchObject({ kind: 'seal' })
})

test('deleting the record of a chain does not turn its events into a new chain', async () => {
  const { org, created } = await scene()
  app.db.statement('DELETE FROM audit_chains WHERE org_id = ?').run(org.id)
  writer(app)({ orgId: org.id })
  expect(await verdictOn(org.id)).toMatchObject({ kind: 'added', eventId: created.id })
})

test('a chain from before there were seals shows until when it was not sealed', async () => {
  const { org, three } = await scene()
  app.db.statement('UPDATE audit_chains SET seal = NULL, fault = NULL, fault_seq = NULL').run()
  writer(app)({ orgId: org.id })
  expect(await verdictOn(org.id)).toBeNull()
  expect((await chainViewOf(org.id))?.unsealedUntil).toBe(three.timestamp)
})

test('a chain that grows and loses its oldest events during the check is intact', async () => {
  const { org } = await scene()
  const write = writer(app)
  app.db.transaction(() => {
    for (let n = 0; n < 3000; n++) write({ orgId: org.id })
  })
  const checking = verdictOn(org.id)
  for (let n = 0; n < 20; n++) {
    await new Promise((resolve) => setTimeout(resolve, 3))
    write({ orgId: org.id })
    if (n !== 5) continue
    // The check has not reached this event yet.
    const [last, ...rest] = rowsOf(org.id).slice(-20)
    app.db.transaction(() => {
      const ends = { first_seq: rest[0]?.seq ?? 0, anchor: last?.checksum ?? null, length: rest.length }
      chainsOf(app).save(chainRow(org.id), ends)
      app.db.statement('DELETE FROM audit_logs WHERE org_id = ? AND seq < ?').run(org.id, ends.first_seq)
    })
  }
  expect(await checking).toBeNull()
})

test('callers see the chains within their reach, broken ones first', async () => {
  const other = await otherCompany(app)
  const quiet = await organizationOf(app, token, 'Aachen')
  const { org, two } = await scene()
  behindItsBack(app, `UPDATE audit_logs SET details = '{}', action = 'x' WHERE seq = ${two.seq}`)
  await verdictOn(org.id)
  const view = async () => (await app.call(listAuditChains, {}, asAda())).body
  // Chains of other tests are checked as well.
  await expect.poll(async () => (await view()).summary.beingChecked).toBe(0)
  const body = await view()
  const broken = body.data.filter(({ fault }) => fault).length
  expect(body.data.findIndex(({ fault }) => fault === null)).toBe(broken)
  expect(body.data[broken]).toMatchObject({ orgId: null, orgName: null, partnerId: expect.any(String) })
  expect(body.summary).toMatchObject({ chains: body.pagination.total, broken, beingChecked: 0 })
  expect(body.data.map(({ orgId }) => orgId)).not.toContain(other.org.id)

  const member = await person(app, { email: 'quiet@x.test', scope: 'organization', orgId: quiet.id })
  const own = await app.call(listAuditChains, {}, member)
  expect(own.body.data.map(({ orgId }) => orgId)).toEqual([quiet.id])
  expect((await app.call(verifyAuditLog, {}, member)).body).toEqual({ data: { chains: 1 } })
  expect(auditOf(app, 'audit_logs.verify').at(-1)).toMatchObject({ org_id: quiet.id, details: { chains: 1 } })
})

test('an event names its organization and its company, also to an operator', async () => {
  const { org, one } = await scene()
  const operator = await person(app, { email: 'above@x.test', scope: 'system' })
  const { body } = await app.call(readAuditEvent, { params: { id: one.id } }, operator)
  expect(body).toMatchObject({ orgId: org.id, orgName: org.name, partnerId: one.partner_id })
  app.db.run(q.updateTable('organizations').set({ name: 'Renamed' }).where('id', '=', org.id))
  const { body: later } = await app.call(listAuditEvents, { query: { orgId: org.id } }, operator)
  expect(later.data[0]).toMatchObject({ orgName: 'Renamed', partnerId: one.partner_id })
})

test('the chains are checked every day', async () => {
  const { org } = await scene()
  app.clock.advance(day)
  const operator = await person(app, { email: 'operator@x.test', scope: 'system' })
  const { status } = await app.call(runJob, { params: { name: 'audit-log.check' } }, operator)
  expect(status).toBe(200)
  token = operator.token
  expect((await chainViewOf(org.id))?.checkedAt).toBe(new Date(app.clock.now()).toISOString())
})
