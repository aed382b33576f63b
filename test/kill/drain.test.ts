import { randomInt, randomUUIDv7 } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../server/db/database.ts'
import { readDevice } from '../../shared/api/devices.ts'
import { updateOrganization } from '../../shared/api/organizations.ts'
import { eventually } from '../helpers/eventually.ts'
import { startAgentProcess } from '../helpers/real-appliance.ts'
import { atLength, times } from '../helpers/thorough.ts'
import { call, type KillableAppliance, killableAppliance, setUp, temporaryDirectory } from './scene.ts'

/** The server is killed at any step of a drain, and finishes it when it is back. */

const devices = 2000

/** An organization with so many devices that a drain takes them in pieces. */
async function largeOrganization() {
  const appliance = await killableAppliance({ ENABLE_2FA: 'false' })
  const { token, org, site } = await setUp(appliance)
  await appliance.kill()
  inDatabase(appliance, (db) =>
    db.transaction(() => {
      for (let n = 0; n < devices; n++) {
        const id = randomUUIDv7()
        db.statement(
          `INSERT INTO devices (id, org_id, site_id, agent_id, hostname, os_type, status, created_at, updated_at)
           VALUES (?, ?, ?, ?, ?, 'linux', 'offline', ?, ?)`,
        ).run(id, org.id, site.id, id, `pc-${n}`, org.createdAt, org.createdAt)
        db.statement(
          `INSERT INTO device_commands (id, device_id, type, payload, status, created_at)
           VALUES (?, ?, 'script', '{}', 'pending', ?)`,
        ).run(randomUUIDv7(), id, org.createdAt)
      }
    }),
  )
  await appliance.start()
  const patch = (status: 'active' | 'offboarding') =>
    call(appliance.origin, updateOrganization, { params: { id: org.id }, body: { status } }, token)
  return { appliance, org, patch, state: () => inDatabase(appliance, (db) => stateOf(db, org.id)) }
}

function inDatabase<T>(appliance: KillableAppliance, look: (db: Database) => T): T {
  const db = appliance.openDatabase()
  try {
    return look(db)
  } finally {
    db.close()
  }
}

function stateOf(db: Database, orgId: string) {
  const count = (sql: string) => db.statement(`SELECT count(*) FROM ${sql}`).pluck().get() as number
  const org = db
    .statement('SELECT status, unsettled, offboarding_started_at AS startedAt FROM organizations WHERE id = ?')
    .get(orgId) as { status: string; unsettled: string | null; startedAt: string | null }
  return {
    ...org,
    asked: count(`device_commands WHERE type = 'self_uninstall' AND status = 'pending'`),
    others: count(`device_commands WHERE type <> 'self_uninstall' AND status = 'pending'`),
    suspended: count('devices WHERE agent_token_suspended_at IS NOT NULL'),
    completions: count(`audit_logs WHERE action = 'organization.offboarding_completed'`),
    problems: db.check(),
  }
}

atLength('a drain that is killed at any step still begins, is called off and ends correctly', async () => {
  const { appliance, org, patch, state } = await largeOrganization()
  const crash = async (withinMs = 40) => {
    await setTimeout(randomInt(0, withinMs))
    await appliance.kill()
  }
  for (let round = 0; round < times(3, 1); round++) {
    const { offboardingStartedAt } = await patch('offboarding')
    for (let n = 0; n < times(2, 1); n++) {
      await crash()
      expect(state()).toMatchObject({ status: 'offboarding', startedAt: offboardingStartedAt, problems: [] })
      await appliance.start()
    }
    await eventually(() => expect(state()).toMatchObject({ unsettled: null, asked: devices, others: 0 }))
    expect(state(), 'the window began with the first PATCH').toMatchObject({ startedAt: offboardingStartedAt })
    await patch('active')
    await crash()
    expect(state()).toMatchObject({ status: 'active', startedAt: null, problems: [] })
    await appliance.start()
    await eventually(() => expect(state()).toMatchObject({ unsettled: null, asked: 0, suspended: 0 }))
  }
  await patch('offboarding')
  await crash()
  inDatabase(appliance, (db) =>
    db
      .statement(`UPDATE organizations SET offboarding_started_at = '2026-01-01T00:00:00.000Z' WHERE id = ?`)
      .run(org.id),
  )
  for (let n = 0; n < times(4, 1); n++) {
    await appliance.start()
    await crash(200)
    const { status, completions, problems } = state()
    expect([status, completions, problems]).toEqual(status === 'churned' ? ['churned', 1, []] : ['offboarding', 0, []])
  }
  await appliance.start()
  await eventually(() =>
    expect(state()).toMatchObject({ status: 'churned', unsettled: null, asked: 0, suspended: devices, completions: 1 }),
  )
})

test('a real agent removes itself, and the organization is churned at the next start', async () => {
  const appliance = await killableAppliance({ ENABLE_2FA: 'false' })
  const { token, key, org } = await setUp(appliance)
  const { origin } = appliance
  const stateDir = join(temporaryDirectory(), 'state')
  const enrolling = startAgentProcess(['enroll', key.key, '--server', origin, '--state-dir', stateDir])
  const [, id = ''] = /as device (\S+)\./.exec(await enrolling.saying(/as device \S+\./)) ?? []
  await enrolling.stop()
  const agent = startAgentProcess(['run', '--state-dir', stateDir])
  onTestFinished(() => agent.stop('SIGKILL'))
  const device = () => call(origin, readDevice, { params: { id } }, token)
  await eventually(async () => expect(await device()).toMatchObject({ status: 'online', isConnected: true }))

  const body = { status: 'offboarding' } as const
  await call(origin, updateOrganization, { params: { id: org.id }, body }, token)
  await eventually(async () => expect((await device()).status).toBe('decommissioned'))
  await eventually(() => expect(agent.child.exitCode).toBe(0))
  expect(existsSync(stateDir)).toBe(false)
  await appliance.kill()
  await appliance.start()
  await eventually(() =>
    expect(inDatabase(appliance, (db) => stateOf(db, org.id))).toMatchObject({ status: 'churned' }),
  )
})
