import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchFolder } from '../../agent/testing/restic.ts'
import { buildApp } from '../../server/app.ts'
import { Database } from '../../server/db/database.ts'
import { q } from '../../server/db/query.ts'
import { hour, iso } from '../../server/platform/clock.ts'
import { createLog } from '../../server/platform/log.ts'
import { openSecrets } from '../../server/platform/secrets.ts'
import { readBackup } from '../../shared/api/appliance-backup.ts'
import { applyImmutability } from '../../shared/api/backup-snapshot-protection.ts'
import { deleteDeviceBackups } from '../../shared/api/backup-snapshots.ts'
import { decommissionDevice } from '../../shared/api/devices.ts'
import { eventually } from '../helpers/eventually.ts'
import { fillOrganization } from '../helpers/full-organization.ts'
import { sessionOf } from '../helpers/sessions.ts'
import { storingDevice } from '../helpers/stored-snapshot.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { archiving } from './archive-kit.ts'

/** What lies in the store of the appliance and belongs to no repository: what was let go of is removed, and nothing else. */

const unknown = 'There are backups in the store that this appliance does not know'

async function scene() {
  const app = await testApp({ logs: true })
  onTestFinished(() => app[Symbol.asyncDispose]())
  const device = await storingDevice(app)
  const source = join(scratchFolder(), 'work')
  mkdirSync(source)
  writeFileSync(join(source, 'file'), 'content')
  return { app, ...device, backUp: () => device.backUp(source) }
}

const clean = async ({ app }: Pick<TestApp, 'app'>) => {
  const { lastOutcome } = await app.jobs.runNow('backup-store.clean')
  expect(lastOutcome).toBe('success')
}

const folderIn = ({ dataDir }: TestApp, id: string = randomUUID()) => {
  const folder = join(dataDir, 'backups', id)
  mkdirSync(join(folder, 'data'), { recursive: true })
  return folder
}

const notes = ({ db }: Pick<TestApp, 'db'>) =>
  (['backup_store_leftovers', 'backup_forgotten_repositories'] as const).map(
    (table) => db.all(q.selectFrom(table).selectAll()).length,
  )

test('the backups of a device that were deleted are removed from the store after two days', async () => {
  const { app, device, admin, backUp } = await scene()
  const { folder } = await backUp()
  const other = folderIn(app)
  const as = { token: admin.token }
  await app.call(decommissionDevice, { params: { id: device.deviceId } }, as)
  expect((await app.call(deleteDeviceBackups, { params: { deviceId: device.deviceId } }, as)).status).toBe(200)
  await clean(app)
  app.clock.advance(48 * hour - 1)
  await clean(app)
  expect(existsSync(folder)).toBe(true)
  app.clock.advance(1)
  await clean(app)
  expect([folder, other].map((one) => existsSync(one))).toEqual([false, true])
  expect(notes(app), 'only the other is noted').toEqual([1, 0])
  const token = await sessionOf(app, admin.userId, 'passkey')
  const said = async () => (await app.call(readBackup, {}, { token })).body.unknownInStore
  expect(await said()).toEqual({ total: 1, folders: [basename(other)] })
  rmSync(other, { recursive: true })
  await clean(app)
  expect(await said(), 'somebody has deleted it').toEqual({ total: 0, folders: [] })
})

test('a call that deletes nothing lets go of nothing', async () => {
  const { app, device, admin, backUp } = await scene()
  const { id, folder } = await backUp()
  const as = async () => ({ token: await sessionOf(app, admin.userId, 'passkey') })
  await app.call(decommissionDevice, { params: { id: device.deviceId } }, await as())
  const lock = { params: { id }, body: { immutableDays: 9, reason: 'Case 42' } }
  expect((await app.call(applyImmutability, lock, await as())).status).toBe(200)
  const refused = await app.call(deleteDeviceBackups, { params: { deviceId: device.deviceId } }, await as())
  expect(refused.body).toMatchObject({ code: 'device_backups_protected' })
  await clean(app)
  app.clock.advance(100 * hour)
  await clean(app)
  expect(existsSync(folder)).toBe(true)
  expect(notes(app)).toEqual([0, 0])
})

test('what an organization that is erased has in the store goes with it', async () => {
  await using scene = await archiving()
  const { app, org, admin } = scene
  fillOrganization(app.db, { id: org.id, partnerId: admin.partnerId })
  const ids = app.db.all(q.selectFrom('backup_repositories').select('id').where('org_id', '=', org.id))
  const folders = ids.map(({ id }) => folderIn(app, id))
  expect(folders.length).toBeGreaterThan(0)
  await scene.patch({ status: 'suspended' })
  await scene.archive({ retentionDays: 30 })
  scene.pass(31)
  await scene.sweep()
  await eventually(async () => expect(scene.row(), JSON.stringify(await scene.erasures())).toBeUndefined())
  await clean(app)
  expect(folders.every((folder) => existsSync(folder))).toBe(true)
  app.clock.advance(48 * hour)
  await clean(app)
  expect(folders.filter((folder) => existsSync(folder))).toEqual([])
  expect(notes(app)).toEqual([0, 0])
})

test('after an older backup of the appliance is restored, what was made since stays, and the log says so once', async () => {
  const { app, admin, backUp } = await scene()
  const older = app.db.serialize()
  const { id, folder, engine } = await backUp()
  const lock = { params: { id }, body: { immutableDays: 30, reason: 'Case 42' } }
  expect((await app.call(applyImmutability, lock, { token: admin.token })).status).toBe(200)
  await app.app.stop()

  const db = new Database({ image: older })
  const logLines: string[] = []
  const { config, clock } = app
  const restored = await buildApp({
    ...{ config, db, clock, tls: null, version: '0.0.0-test', distDir: join(app.dataDir, 'dist') },
    log: createLog('trace', { write: (line) => void logLines.push(line) }),
    secrets: openSecrets(app.dataDir, config.secrets),
  })
  onTestFinished(async () => {
    await restored.stop()
    db.close()
  })
  expect(db.all(q.selectFrom('backup_repositories').select('id'))).toEqual([])
  for (const hours of [0, 1, 48, 24 * 60]) {
    app.clock.advance(hours * hour)
    await clean({ app: restored })
  }
  expect(existsSync(folder)).toBe(true)
  expect(JSON.parse(await engine.ok('snapshots', '--json'))).toHaveLength(1)
  expect(logLines.filter((line) => line.includes(unknown))).toHaveLength(1)
  expect(notes({ db })).toEqual([1, 0])
})

test('what was found before the update that tells them apart stays, too', async () => {
  const id = randomUUID()
  const app = await testApp({
    logs: true,
    before: {
      migration: '037-forgotten-repositories',
      fill: (db) => db.run(q.insertInto('backup_store_leftovers').values({ repository_id: id, found_at: iso(0) })),
    },
  })
  onTestFinished(() => app[Symbol.asyncDispose]())
  const folder = folderIn(app, id)
  await clean(app)
  app.clock.advance(100 * hour)
  await clean(app)
  expect(existsSync(folder)).toBe(true)
  expect(app.logLines.filter((line) => line.includes(unknown))).toHaveLength(1)
})
