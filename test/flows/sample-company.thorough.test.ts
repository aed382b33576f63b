import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Database } from '../../server/db/database.ts'
import { q } from '../../server/db/query.ts'
import { deviceStatus } from '../../shared/api/devices.ts'
import { eventually } from '../helpers/eventually.ts'
import { serveHere } from '../helpers/in-process-appliance.ts'
import { startProcess } from '../helpers/real-appliance.ts'

/** The company that `npm run dev` shows. */

async function makeSamples() {
  const dataDir = mkdtempSync(join(tmpdir(), 'homeport-samples-'))
  const server = await serveHere(dataDir)
  const db = new Database({ file: join(dataDir, 'homeport.db') })
  onTestFinished(async () => {
    db.close()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const admin = (...args: string[]) => startProcess('server/admin/index.ts', args, { HOMEPORT_DATA_DIR: dataDir })
  return { db, origin: `http://127.0.0.1:${server.port}`, admin }
}

test('the sample company has each state of devices, organizations and commands', async () => {
  const { db, admin } = await makeSamples()
  await admin('seed-samples').saying('Sign in as')
  const valuesOf = (table: 'devices' | 'organizations' | 'device_commands') =>
    new Set(db.all(q.selectFrom(table).select('status')).map(({ status }) => status))
  expect([...valuesOf('devices')].sort()).toEqual(deviceStatus.options.toSorted())
  // The one that is being archived will be once the appliance has looked after it.
  const organizations = ['active', 'trial', 'suspended', 'offboarding', 'churned']
  expect([...valuesOf('organizations')].sort()).toEqual(organizations.sort())
  const targets = db.all(q.selectFrom('organizations').select('offboarding_target').where('status', '=', 'offboarding'))
  expect(new Set(targets.map((one) => one.offboarding_target))).toEqual(new Set(['churn', 'archive']))
  expect([...valuesOf('device_commands')].sort()).toEqual(expect.arrayContaining(['completed', 'failed', 'pending']))
  const presence = db.all(q.selectFrom('device_presence').selectAll())
  const dayAgo = new Date(Date.now() - 24 * 3_600_000).toISOString()
  expect(presence.filter(({ at }) => at < dayAgo).length).toBeGreaterThan(40)
  const today = new Set(presence.filter(({ at }) => at > dayAgo).map(({ status }) => status))
  expect([...today].sort()).toEqual(deviceStatus.options.toSorted())
  await admin('seed-samples').saying('nothing was added')
})

test('sample devices keep reporting, and those that left stay away', async () => {
  const { db, origin, admin } = await makeSamples()
  await admin('seed-samples').saying('Sign in as')
  const seen = (status: 'online' | 'offline') =>
    db.all(
      q.selectFrom('devices').select(['hostname', 'last_seen_at']).where('status', '=', status).orderBy('hostname'),
    )
  const [before, gone] = [seen('online'), seen('offline')]
  const agents = admin('run-sample-agents', origin)
  onTestFinished(() => agents.stop())
  // The first heartbeat is sent at once, the others over the next minute.
  await eventually(() => expect(seen('online')).not.toEqual(before))
  expect(seen('offline')).toEqual(gone)
})

test('without a sample company there is nothing to run, and that is said', async () => {
  const { origin, admin } = await makeSamples()
  await admin('run-sample-agents', origin).saying('There are no sample devices')
})
