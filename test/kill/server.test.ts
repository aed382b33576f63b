import { randomInt } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Database } from '../../server/db/database.ts'
import { sha256 } from '../../server/platform/secrets.ts'
import { cancelCommand, runScript } from '../../shared/api/commands.ts'
import { createEnrollmentKey } from '../../shared/api/enrollment-keys.ts'
import { createOrganization, updateOrganization } from '../../shared/api/organizations.ts'
import { createSite } from '../../shared/api/sites.ts'
import { submitResult } from '../../shared/device/commands.ts'
import { enroll } from '../../shared/device/enroll.ts'
import { heartbeat } from '../../shared/device/heartbeat.ts'
import { uploadSoftware } from '../../shared/device/uploads.ts'
import { enrollBody } from '../helpers/factories.ts'
import { times } from '../helpers/thorough.ts'
import { call, type KillableAppliance, killableAppliance, Refusal, setUp, showFactor } from './scene.ts'

const rounds = times(8, 2)
const clients = 6

interface Fact {
  what: string
  sql: string
  parameters: unknown[]
}

type Scene = Awaited<ReturnType<typeof setUp>>

/** Everything the server acknowledged, each with the query that must find it. */
class Acknowledged {
  readonly all: Fact[] = []

  add(what: string, sql: string, ...parameters: unknown[]): void {
    this.all.push({ what, sql, parameters })
  }

  lostIn(db: Database): string[] {
    return this.all
      .filter(({ sql, parameters }) => db.statement(sql).get(...parameters) === undefined)
      .map(({ what, parameters }) => `${what} ${parameters.join(' ')}`)
  }
}

let serial = 0

/** One client's day: makes an organization, a device in it, sends it scripts and answers for it. */
async function work({ origin }: KillableAppliance, { token, org, key }: Scene, acknowledged: Acknowledged) {
  const n = ++serial
  const made = await call(origin, createOrganization, { body: { name: `Org ${n}`, slug: `org-${n}` } }, token)
  acknowledged.add('organization', 'SELECT 1 FROM organizations WHERE id = ? AND name = ?', made.id, made.name)
  const site = await call(origin, createSite, { body: { orgId: made.id, name: `Site ${n}` } }, token)
  acknowledged.add('site', 'SELECT 1 FROM sites WHERE id = ? AND org_id = ?', site.id, made.id)
  const own = await call(
    origin,
    createEnrollmentKey,
    { body: { name: `Key ${n}`, orgId: made.id, siteId: site.id, maxUsage: 3 } },
    token,
  )
  acknowledged.add('key', 'SELECT 1 FROM enrollment_keys WHERE id = ?', own.id)
  await call(origin, updateOrganization, { params: { id: made.id }, body: { maxDevices: n } }, token)
  acknowledged.add('change', 'SELECT 1 FROM organizations WHERE id = ? AND max_devices = ?', made.id, n)
  const device = await call(origin, enroll, { body: enrollBody(n % 2 ? own.key : key.key, `pc-${n}`) })
  acknowledged.add(
    'device',
    'SELECT 1 FROM devices WHERE id = ? AND agent_token_hash = ? AND org_id = ?',
    device.deviceId,
    sha256(device.authToken),
    n % 2 ? made.id : org.id,
  )
  const { agentId, deviceId, authToken } = device
  const software = { software: [{ name: `tool-${n}`, version: '1' }] }
  await call(origin, uploadSoftware, { params: { agentId }, body: software }, authToken)
  acknowledged.add('software', 'SELECT 1 FROM device_software WHERE device_id = ? AND name = ?', deviceId, `tool-${n}`)
  const script = { language: 'bash', content: `echo ${n}` } as const
  const [done, dropped] = [
    await call(origin, runScript, { params: { id: deviceId }, body: script }, token),
    await call(origin, runScript, { params: { id: deviceId }, body: script }, token),
  ]
  for (const { id } of [done, dropped])
    acknowledged.add('command', 'SELECT 1 FROM device_commands WHERE id = ? AND device_id = ?', id, deviceId)
  await call(origin, cancelCommand, { params: { id: deviceId, commandId: dropped.id } }, token)
  acknowledged.add('cancellation', "SELECT 1 FROM device_commands WHERE id = ? AND status = 'cancelled'", dropped.id)
  const beat = await call(
    origin,
    heartbeat,
    { params: { agentId }, body: { status: 'ok', agentVersion: '0.1.0' } },
    authToken,
  )
  for (const { id } of beat.commands)
    acknowledged.add('claim', "SELECT 1 FROM device_commands WHERE id = ? AND status <> 'pending'", id)
  const result = { status: 'completed', exitCode: 0, stdout: `${n}\n` } as const
  await call(origin, submitResult, { params: { agentId, commandId: done.id }, body: result }, authToken)
  acknowledged.add(
    'result',
    "SELECT 1 FROM device_commands WHERE id = ? AND status = 'completed' AND result ->> 'stdout' = ?",
    done.id,
    `${n}\n`,
  )
}

/** Works until the server is gone. */
async function client(appliance: KillableAppliance, scene: Scene, acknowledged: Acknowledged): Promise<void> {
  try {
    for (;;) await work(appliance, scene, acknowledged)
  } catch (error) {
    if (error instanceof Refusal) throw error
  }
}

/** What must be true of any database, whenever its process died: whole steps or none of them. */
const halfDone = {
  'devices without their audit event':
    "SELECT id FROM devices WHERE id NOT IN (SELECT resource_id FROM audit_logs WHERE action = 'agent.enroll')",
  'organizations without their audit event':
    "SELECT id FROM organizations WHERE id NOT IN (SELECT resource_id FROM audit_logs WHERE action = 'organization.create')",
  'keys whose count is not that of their devices':
    'SELECT id FROM enrollment_keys WHERE usage_count <> (SELECT count(*) FROM devices WHERE enrolled_by = enrollment_keys.id)',
  'organizations that miscount their devices':
    'SELECT id FROM organizations WHERE device_count <> (SELECT count(*) FROM devices WHERE org_id = organizations.id)',
  'finished commands without a result':
    "SELECT id FROM device_commands WHERE (status IN ('completed', 'cancelled')) <> (result IS NOT NULL)",
  'audit events out of their chain': `SELECT id FROM (SELECT id, prev_checksum, lag(checksum) OVER
    (PARTITION BY partner_id, org_id ORDER BY seq) AS former FROM audit_logs) WHERE prev_checksum IS NOT former`,
}

test('everything that was acknowledged is there after kill -9 at any moment, and nothing is half done', async () => {
  const appliance = await killableAppliance()
  const scene = await setUp(appliance)
  await showFactor(appliance, scene.token)
  const acknowledged = new Acknowledged()
  for (let round = 0; round < rounds; round++) {
    const before = acknowledged.all.length
    const working = Array.from({ length: clients }, () => client(appliance, scene, acknowledged))
    // Counted in answers, not in time, so that a slow machine sees the same; the first round meets every kind.
    const enough = before + (round === 0 ? 100 : randomInt(1, 90))
    const hasWorked = async () => {
      while (acknowledged.all.length < enough) await setTimeout(2)
    }
    await Promise.race([hasWorked(), Promise.all(working)])
    await setTimeout(randomInt(0, 25))
    await appliance.kill()
    await Promise.all(working)
    const db = appliance.openDatabase()
    expect(db.check()).toEqual([])
    expect(acknowledged.lostIn(db)).toEqual([])
    for (const [what, sql] of Object.entries(halfDone)) expect(db.statement(sql).pluck().all(), what).toEqual([])
    db.close()
    await appliance.start()
  }
  const kinds = new Set(acknowledged.all.map(({ what }) => what))
  expect([...kinds].sort()).toEqual([
    'cancellation',
    'change',
    'claim',
    'command',
    'device',
    'key',
    'organization',
    'result',
    'site',
    'software',
  ])
  await call(appliance.origin, createOrganization, { body: { name: 'After', slug: 'after' } }, scene.token)
})
