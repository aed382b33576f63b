import { beforeEach, expect, test } from 'vitest'
import { FakeClock } from '../../test/helpers/fake-clock.ts'
import { testSeal } from '../../test/helpers/seal.ts'
import { freshDatabase } from '../../test/helpers/test-app.ts'
import type { Database } from '../db/database.ts'
import { q } from '../db/query.ts'
import { systemActor } from './actor.ts'
import { type Audit, createAudit } from './audit.ts'
import { type AuditChain, AuditChains, type AuditRow, eventChecksum } from './audit-chain.ts'

let db: Database
let audit: Audit
beforeEach(() => {
  db = freshDatabase()
  audit = createAudit(db, new FakeClock(), testSeal)
})

const write = (count: number, partnerId = 'p') => {
  for (let n = 0; n < count; n++)
    audit(systemActor('test'), { action: 'site.create', resourceType: 'thing', partnerId })
}
const chain = (partnerId = 'p') =>
  db.first(q.selectFrom('audit_chains').selectAll().where('partner_id', '=', partnerId))
const checksums = (partnerId = 'p') =>
  db
    .all(q.selectFrom('audit_logs').select('checksum').where('partner_id', '=', partnerId).orderBy('seq'))
    .map(({ checksum }) => checksum)
/** Changes rows past the append-only triggers, as an attacker with write access to the file would. */
const behindItsBack = (...statements: string[]) => {
  for (const name of ['audit_logs_no_update', 'audit_logs_no_delete']) db.statement(`DROP TRIGGER ${name}`).run()
  for (const statement of statements) db.statement(statement).run()
}

test('each audit chain records its first and last event, its length and its head checksum', () => {
  write(3)
  write(2, 'other')
  write(1)
  expect(chain()).toMatchObject({ first_seq: 1, head_seq: 6, length: 4, anchor: null, fault: null, unsealed_seq: null })
  expect(chain()?.head).toBe(checksums().at(-1))
  expect(chain('other')).toMatchObject({ first_seq: 4, head_seq: 5, length: 2, head: checksums('other').at(-1) })
})

test('a rolled-back event leaves its chain unchanged', () => {
  write(1)
  const before = chain()
  expect(() =>
    db.transaction(() => {
      write(1)
      throw new Error('undone')
    }),
  ).toThrow('undone')
  expect(chain()).toEqual(before)
})

test('the next event detects that the end of a chain was cut off, and the fault stays recorded', () => {
  write(3)
  const [, second] = checksums()
  behindItsBack(
    'DELETE FROM audit_logs WHERE seq = 3',
    `UPDATE audit_chains SET head_seq = 2, head = '${second}', length = 2`,
  )
  write(2)
  expect(chain()).toMatchObject({ fault: 'seal', fault_seq: 2 })
})

test('the next event detects a chain that was rewritten without the seal key', () => {
  write(2)
  const [first, second] = db.all(q.selectFrom('audit_logs').selectAll().orderBy('seq'))
  const { seq: _, checksum: __, prev_checksum: ___, ...row } = second as typeof first & object
  const forged = eventChecksum(first?.checksum ?? null, { ...(row as AuditRow), action: 'test.nothing' })
  behindItsBack(
    `UPDATE audit_logs SET action = 'test.nothing', checksum = '${forged}' WHERE seq = 2`,
    `UPDATE audit_chains SET head = '${forged}'`,
  )
  write(1)
  expect(chain()).toMatchObject({ fault: 'seal', fault_seq: 2 })
})

test('erasing a recorded fault is detected by the next event', () => {
  write(1)
  db.statement("UPDATE audit_chains SET seal = 'forged'").run()
  write(1)
  expect(chain()).toMatchObject({ fault: 'seal', fault_seq: 1 })
  db.statement('UPDATE audit_chains SET fault = NULL, fault_seq = NULL').run()
  write(1)
  expect(chain()).toMatchObject({ fault: 'seal', fault_seq: 2 })
})

test.each([
  "org_id = 'other'",
  'first_seq = 2',
  "anchor = 'forged'",
  'length = 1',
  'unsealed_seq = 1',
  'fault_seq = 1',
])('a chain row changed to %s gets the fault "seal"', (lie) => {
  write(2)
  db.statement(`UPDATE audit_chains SET ${lie}`).run()
  const forged = db.first(q.selectFrom('audit_chains').selectAll()) as AuditChain
  new AuditChains(db, testSeal).save(forged, {})
  expect(chain()?.fault).toBe('seal')
})

test('a chain that predates seals gets no fault and remembers its last event without a seal', () => {
  write(2)
  write(1, 'other')
  db.statement('UPDATE audit_chains SET seal = NULL').run()
  audit = createAudit(db, new FakeClock(), testSeal)
  write(2)
  expect(chain()).toMatchObject({ fault: null, unsealed_seq: 2, length: 4 })
  expect(chain('other')).toMatchObject({ fault: null, unsealed_seq: 3, length: 1 })
})

test('a chain whose seal was removed gets a fault and does not count as one that predates seals', () => {
  write(2)
  write(1, 'other')
  db.statement("UPDATE audit_chains SET seal = NULL WHERE partner_id = 'p'").run()
  audit = createAudit(db, new FakeClock(), testSeal)
  write(1)
  expect(chain()).toMatchObject({ fault: 'seal', fault_seq: 2, unsealed_seq: null })
})
