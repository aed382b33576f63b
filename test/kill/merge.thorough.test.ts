import { randomUUIDv7 } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../server/db/database.ts'
import { readDevice } from '../../shared/api/devices.ts'
import { mergeOrganization, readMergeRun } from '../../shared/api/organization-merge.ts'
import { createOrganization } from '../../shared/api/organizations.ts'
import { createSite } from '../../shared/api/sites.ts'
import { enroll } from '../../shared/device/enroll.ts'
import { eventually } from '../helpers/eventually.ts'
import { enrollBody } from '../helpers/factories.ts'
import { call, type KillableAppliance, killableAppliance, setUp } from './scene.ts'

/** The server is killed at any step of a merge; when it is back the merge is complete or undone. */

/** A server that is killed and started this often takes its time on a busy machine. */
const killsTakeMs = 20 * 60_000
const devices = 1200
const contacts = 500

async function scene() {
  const appliance = await killableAppliance({ ENABLE_2FA: 'false', ORG_MERGE_FENCE_DRAIN_MS: '400' })
  const { origin } = appliance
  const { token, org: loser, site, key } = await setUp(appliance)
  const survivor = await call(origin, createOrganization, { body: { name: 'Oslo', slug: 'oslo' } }, token)
  await call(origin, createSite, { body: { orgId: survivor.id, name: 'Oslo HQ' } }, token)
  const device = await call(origin, enroll, { body: enrollBody(key.key) })
  await appliance.kill()
  const db = appliance.openDatabase()
  fill(db, loser, site.id)
  const params = { jobId: `org-merge-${loser.id}` }
  return {
    appliance,
    survivor,
    token,
    device,
    db,
    merge: () =>
      call(origin, mergeOrganization, { params: { id: loser.id }, body: { survivorId: survivor.id } }, token),
    run: () => call(origin, readMergeRun, { params }, token),
    beat: () => beatOf(appliance, device),
    state: () => stateOf(db, loser.id, survivor.id),
  }
}

function fill(db: Database, org: { id: string; createdAt: string }, siteId: string): void {
  onTestFinished(() => db.close())
  const device = db.statement(
    `INSERT INTO devices (id, org_id, site_id, agent_id, hostname, os_type, status, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, 'linux', 'offline', ?, ?)`,
  )
  const contact = db.statement(
    'INSERT INTO contacts (id, org_id, site_id, name, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  // A third of a millisecond for each device, so that there is time to kill the server in between.
  db.statement(
    `CREATE TRIGGER slow BEFORE UPDATE OF org_id ON devices BEGIN
       SELECT count(*) FROM (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i FROM n);
     END`,
  ).run()
  db.transaction(() => {
    for (let n = 1; n < devices; n++) {
      const id = randomUUIDv7()
      device.run(id, org.id, siteId, id, `pc-${n}`, org.createdAt, org.createdAt)
    }
    for (let n = 0; n < contacts; n++)
      contact.run(randomUUIDv7(), org.id, n % 2 ? siteId : null, `Kim ${n}`, org.createdAt, org.createdAt)
  })
}

async function beatOf({ origin }: KillableAppliance, { agentId, authToken }: { agentId: string; authToken: string }) {
  const { status } = await fetch(`${origin}/api/v1/agents/${agentId}/heartbeat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${authToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ status: 'ok', agentVersion: '0.1.0' }),
  })
  return status
}

function stateOf(db: Database, loserId: string, survivorId: string) {
  const count = (table: string, orgId: string) =>
    db.statement(`SELECT count(*) FROM ${table} WHERE org_id = ?`).pluck().get(orgId)
  const loser = db.statement('SELECT status, merge_prior_status AS prior FROM organizations WHERE id = ?').get(loserId)
  return {
    loser: loser ?? null,
    ofLoser: ['sites', 'contacts', 'devices'].map((table) => count(table, loserId)),
    ofSurvivor: ['sites', 'contacts', 'devices'].map((table) => count(table, survivorId)),
    kept: db.statement('SELECT count(*) FROM org_merge_undo').pluck().get(),
    problems: db.check(),
  }
}

const asBefore = {
  loser: { status: 'active', prior: null },
  ofLoser: [1, contacts, devices],
  ofSurvivor: [1, 0, 0],
  kept: 0,
  problems: [],
}

test(
  'a merge that is killed before its end is undone, and one killed after it is finished',
  async () => {
    const { appliance, survivor, token, device, db, merge, run, beat, state } = await scene()
    const isIn = (phase: string, movedRows: number) => () => {
      const progress = db
        .statement(`SELECT progress FROM tasks WHERE kind = 'organization.merge' AND state = 'active'`)
        .pluck()
      const now = JSON.parse((progress.get() ?? '{}') as string) as { phase?: string; movedRows: number }
      return now.phase === phase && now.movedRows >= movedRows
    }
    const killedWhen = async (isThere: () => boolean) => {
      await merge()
      const deadline = performance.now() + 60_000
      while (!isThere()) {
        if (performance.now() > deadline) throw new Error(`it never came to that: ${JSON.stringify(state())}`)
        await pause(1)
      }
      await appliance.kill()
    }
    const never = () => db.statement('SELECT count(*) FROM org_merge_events').pluck().get() === 0
    const takenBack = async (what: string) => {
      expect(never(), what).toBe(true)
      await appliance.start()
      await eventually(async () => expect((await run()).state, what).toBe('failed'))
      expect((await run()).failedReason, what).toBe('The appliance was restarted during the merge')
      expect(state(), what).toEqual(asBefore)
      expect(await beat(), what).toBe(200)
    }
    await appliance.start()
    await killedWhen(isIn('fencing', 0))
    await takenBack('behind the fence')
    for (const movedRows of [0, contacts, contacts + devices / 2]) {
      await killedWhen(isIn('moving', movedRows))
      await takenBack(`after ${movedRows} rows`)
    }
    // An undo that is interrupted by a kill is completed.
    db.statement(`CREATE TRIGGER fails BEFORE INSERT ON org_merge_events BEGIN SELECT raise(ABORT, 'no'); END`).run()
    await killedWhen(isIn('undoing', 0))
    db.statement('DROP TRIGGER fails').run()
    expect(state().kept).toBeGreaterThan(0)
    await takenBack('while it was taken back')

    await killedWhen(() => !never())
    expect(state()).toMatchObject({ ofLoser: [0, 0, 0], problems: [] })
    await appliance.start()
    await eventually(async () => expect((await run()).state).toBe('completed'))
    const { result } = await run()
    expect(result?.tables).toMatchObject({ devices: { moved: devices }, contacts: { moved: contacts } })
    await eventually(() =>
      expect(state()).toEqual({
        loser: null,
        ofLoser: [0, 0, 0],
        ofSurvivor: [2, contacts, devices],
        kept: 0,
        problems: [],
      }),
    )
    expect(await beat()).toBe(200)
    const moved = await call(appliance.origin, readDevice, { params: { id: device.deviceId } }, token)
    expect(moved.orgId).toBe(survivor.id)
  },
  killsTakeMs,
)
