import { beforeEach, expect, test } from 'vitest'
import { FakeClock } from '../../test/helpers/fake-clock.ts'
import { testSeal } from '../../test/helpers/seal.ts'
import { freshDatabase } from '../../test/helpers/test-app.ts'
import type { Database } from '../db/database.ts'
import { type Actor, systemActor } from './actor.ts'
import { type Audit, type AuditEvent, createAudit, scrub } from './audit.ts'
import { sha256 } from './secrets.ts'

let db: Database
let audit: Audit
beforeEach(() => {
  db = freshDatabase()
  audit = createAudit(db, new FakeClock(), testSeal)
})

const event: AuditEvent = { action: 'site.create', resourceType: 'site' }
const system = systemActor('test')
const rows = () => db.statement('SELECT * FROM audit_logs ORDER BY seq').all() as Record<string, string | null>[]

/** Whether the checksum of a stored row matches its content. */
function isWhole({ seq: _, prev_checksum, checksum, ...row }: Record<string, string | null>): boolean {
  return checksum === sha256(`${prev_checksum ?? ''}\n${JSON.stringify(Object.entries(row).sort())}`)
}

test('the events of each tenant form a chain whose checksums hold', () => {
  for (let n = 0; n < 4; n++)
    for (const place of [{ orgId: 'o1', partnerId: 'p' }, { orgId: 'o2', partnerId: 'p' }, { partnerId: 'p' }, {}])
      audit(system, { ...event, ...place, details: { n } })
  const chains = Map.groupBy(rows(), ({ partner_id, org_id }) => `${partner_id} ${org_id}`)
  expect([...chains.values()].map((chain) => chain.length)).toEqual([4, 4, 4, 4])
  for (const chain of chains.values())
    chain.forEach((row, index) => {
      expect(isWhole(row)).toBe(true)
      expect(row.prev_checksum).toBe(chain[index - 1]?.checksum ?? null)
    })
})

test('an event with invalid Unicode in its texts is stored repaired, and its checksum holds', () => {
  const origin = { ip: '10.0.0.9', userAgent: 'agent \udc00 \u0000', requestId: 'r' }
  const device = { kind: 'device', deviceId: 'd', orgId: 'o', origin } as unknown as Actor
  audit(device, { ...event, resourceId: '\ud83d', resourceName: 'pc-\ud800', details: { hostname: 'pc-\ud800\u0000' } })
  const [row] = rows()
  expect(isWhole(row ?? {})).toBe(true)
  expect(row?.resource_name).toBe('pc-\ufffd')
})

test('changing any column of a stored event breaks its checksum', () => {
  audit(system, event)
  const [row] = rows()
  for (const [name, value] of Object.entries(row ?? {})) {
    if (name === 'seq' || name === 'checksum') continue
    expect(isWhole({ ...row, [name]: `${value ?? ''}x` }), name).toBe(false)
  }
})

test('an audit event cannot be updated or deleted', () => {
  audit(system, event)
  const before = rows()
  expect(() => db.statement("UPDATE audit_logs SET action = 'nothing'").run()).toThrow('append-only')
  expect(() => db.statement('DELETE FROM audit_logs').run()).toThrow('append-only')
  expect(rows()).toEqual(before)
})

test('an event is rolled back together with its change', () => {
  expect(() =>
    db.transaction(() => {
      audit(system, event)
      throw new Error('undone')
    }),
  ).toThrow('undone')
  expect(rows()).toEqual([])
  audit(system, event)
  expect(rows()[0]?.prev_checksum).toBeNull()
})

test('an event records the actor, the IP address, the user agent and the tenant', () => {
  const origin = { ip: '10.0.0.9', userAgent: 'x'.repeat(900), requestId: 'r' }
  const user = { kind: 'user', userId: 'u', email: 'a@b.test', partnerId: 'p', origin } as unknown as Actor
  const device = { kind: 'device', deviceId: 'd', orgId: 'o', origin } as unknown as Actor
  audit(user, event)
  audit(device, { ...event, orgId: 'o' })
  audit(system, { ...event, result: 'denied' })
  expect(rows()).toMatchObject([
    { actor_type: 'user', actor_id: 'u', actor_email: 'a@b.test', partner_id: 'p', ip_address: '10.0.0.9' },
    { actor_type: 'agent', actor_id: 'd', org_id: 'o', actor_email: null },
    { actor_type: 'system', ip_address: null, result: 'denied' },
  ])
  expect(rows()[0]?.user_agent).toHaveLength(500)
})

test('values under secret-sounding keys are redacted at any depth, and other values are kept', () => {
  const telling = [
    'password',
    'newPassword',
    'accessToken',
    'token',
    'client_secret',
    'Authorization',
    'cookie',
    'code',
  ]
  telling.push('recoveryCodes', 'key', 'enrollmentKey', 'setupCode', 'apiKey', 'tokenHash', 'password_hash')
  for (const key of telling)
    expect(JSON.stringify(scrub({ a: [{ [key]: 'hush' }], [key]: ['hush'] })), key).not.toContain('hush')
  const harmless = { keyId: 'x', codes: 3, tokenCount: 1, name: 'y', list: [1, null, 'z'], hash: 'h' }
  expect(scrub(harmless)).toEqual(harmless)
})

test('a secret in the details of an event is redacted', () => {
  audit(system, { ...event, details: { name: 'x', login: { password: 'hush' } } })
  expect(rows()[0]?.details).toBe('{"name":"x","login":{"password":"[redacted]"}}')
})
