import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchFolder } from '../../agent/testing/restic.ts'
import { q } from '../../server/db/query.ts'
import { day, hour, minute } from '../../server/platform/clock.ts'
import { backupStatus } from '../../shared/api/backup-reports.ts'
import { readBackupFolder } from '../../shared/api/backup-snapshots.ts'
import { listVerifications, type Verification, verifyBackup } from '../../shared/api/backup-verification.ts'
import { eventually } from '../helpers/eventually.ts'
import { passFactor, sessionOf } from '../helpers/sessions.ts'
import { storingDevice } from '../helpers/stored-snapshot.ts'
import { testApp } from '../helpers/test-app.ts'
import { atLength } from '../helpers/thorough.ts'

/** Checks that the appliance makes itself, of its own store, with the real restic. */

const megabyte = 1024 * 1024

async function scene() {
  const app = await testApp()
  onTestFinished(() => app[Symbol.asyncDispose]())
  const device = await storingDevice(app)
  const source = join(scratchFolder(), 'source')
  mkdirSync(source)
  writeFileSync(join(source, 'bad.bin'), randomBytes(megabyte))
  const made = await device.backUp(source)
  const list = async (): Promise<Verification[]> =>
    (await app.call(listVerifications, { query: {} }, { token: await sessionOf(app, device.admin.userId) })).body.data
  const ended = (id: string) =>
    eventually(async () => {
      const check = (await list()).find((one) => one.id === id)
      expect(['pending', 'running', undefined]).not.toContain(check?.status)
      return check as Verification
    })
  const verify = async (more: object = {}) => {
    const body = { deviceId: device.device.deviceId, ...more }
    const token = await sessionOf(app, device.admin.userId)
    passFactor(app, token)
    const asked = await app.call(verifyBackup, { query: {}, body }, { token })
    expect(asked.status, JSON.stringify(asked.body)).toBe(201)
    return asked.body.data.verification.id
  }
  const job = (name: string) => app.app.jobs.runNow(name)
  const flipped = (file: string, at: number) => {
    const flip = () => {
      const content = readFileSync(file)
      content[at] = (content[at] ?? 0) ^ 1
      rmSync(file)
      writeFileSync(file, content)
    }
    flip()
    return flip
  }
  /** One byte of data, of what is known of the folders, or of the index; the answer puts it right. */
  const damage = (what: 'data' | 'folders' | 'index' = 'data') => {
    const folder = join(made.folder, what === 'index' ? 'index' : 'data')
    const [largest = '', ...others] = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((file) => statSync(file).isFile())
      .sort((a, b) => statSync(b).size - statSync(a).size)
    return what === 'data' ? flipped(largest, megabyte / 2) : flipped(others.at(-1) ?? largest, 40)
  }
  return { app, ...device, source, made, list, ended, verify, job, damage }
}

test('one flipped byte is found and named while the device is away; put right, the data passes', async () => {
  const { socket, source, made, verify, ended, damage } = await scene()
  await socket.close()
  const repair = damage()
  const found = await ended(await verify())
  expect(found).toMatchObject({
    ...{ status: 'failed', snapshotId: made.id, filesFailed: 1 },
    details: {
      ranOn: 'appliance',
      failedFiles: [{ path: join(source, 'bad.bin'), error: 'its data in the storage is damaged or missing' }],
    },
  })
  repair()
  expect(await ended(await verify())).toMatchObject({ status: 'passed', filesVerified: 1 })
  expect(readdirSync(join(made.folder, 'locks'))).toEqual([])
})

test('what was counted in the storage is what was proven, and a list that is of something else is read anew', async () => {
  const { app, admin, verify, ended, backUp, source, made } = await scene()
  for (const name of ['a.txt', 'b.txt']) writeFileSync(join(source, name), name)
  // The device says that there is one file less, and says of the backup that it had one.
  const said = (listing: string) =>
    listing
      .split('\n')
      .filter((line) => !line.includes('a.txt'))
      .join('\n')
  app.clock.advance(minute)
  const next = await backUp(source, { said })
  const shown = async () => {
    const call = { params: { id: next.id }, query: { path: source } }
    const { body } = await app.call(readBackupFolder, call as never, { token: await sessionOf(app, admin.userId) })
    return body.data?.map(({ name }) => name)
  }
  expect(await shown()).toEqual(['b.txt', 'bad.bin'])
  const found = await ended(await verify())
  expect(found).toMatchObject({ status: 'failed', filesVerified: 3, filesFailed: 0, snapshotId: next.id })
  expect(found.details?.reason).toMatch(
    /^The snapshot has \d+ files and folders in the storage, and \d+ in the list that is shown/,
  )
  await eventually(async () => expect(await shown()).toEqual(['a.txt', 'b.txt', 'bad.bin']))
  expect(await ended(await verify())).toMatchObject({ status: 'passed', filesVerified: 3, filesFailed: 0 })
  expect(await ended(await verify({ snapshotId: made.id }))).toMatchObject({ status: 'passed', filesVerified: 1 })
})

atLength('all data is read in 28 nights, and what is damaged is found in one of them', async () => {
  const { app, made, list, job, damage } = await scene()
  const part = () => app.db.first(q.selectFrom('backup_data_reads').select(['part', 'completed_at']))
  const nights = async (count: number) => {
    for (let night = 0; night < count; night++) {
      app.clock.advance(day)
      expect(await job('backup.read-data')).toMatchObject({ lastOutcome: 'success' })
    }
  }
  await nights(1)
  expect(part()).toMatchObject({ part: 1, completed_at: null })
  // Not twice in a night.
  app.clock.advance(hour)
  await job('backup.read-data')
  expect(part()).toMatchObject({ part: 1 })
  damage()
  await nights(27)
  expect(part()).toMatchObject({ part: 28, completed_at: expect.any(String) })
  await nights(1)
  expect(part()).toMatchObject({ part: 1 })
  const checks = await list()
  expect(checks.length).toBeGreaterThanOrEqual(1)
  expect(checks[0]).toMatchObject({ status: 'failed', snapshotId: made.id, details: { source: 'scheduled' } })
  expect(checks[0]?.details?.subset).toMatch(/^\d+\/28$/)
})

atLength.each(['folders', 'index'] as const)('damage to the %s is found in the first night', async (what) => {
  const { app, list, job, damage, made, verify, ended } = await scene()
  const putRight = damage(what)
  app.clock.advance(day)
  await job('backup.read-data')
  expect((await list())[0]).toMatchObject({
    ...{ status: 'failed', snapshotId: made.id },
    details: { source: 'scheduled', subset: expect.stringMatching(/\/28$/) },
  })
  putRight()
  expect(await ended(await verify())).toMatchObject({ status: 'passed' })
})

test('how far the reading of all data has come is told, and when all of it was read last', async () => {
  const { app, admin, device, job, verify, ended } = await scene()
  const status = async () => {
    const call = { params: { deviceId: device.deviceId }, query: {} }
    const { body } = await app.call(backupStatus, call, { token: await sessionOf(app, admin.userId) })
    return { allDataReadAt: body.data.allDataReadAt, dataReading: body.data.dataReading }
  }
  expect(await status()).toEqual({ allDataReadAt: null, dataReading: null })
  await job('backup.read-data')
  const readAt = new Date(app.clock.now()).toISOString()
  expect(await status()).toEqual({ allDataReadAt: null, dataReading: { part: 1, parts: 28, readAt } })
  app.clock.advance(minute)
  const whole = await ended(await verify())
  expect(await status()).toMatchObject({ allDataReadAt: whole.completedAt, dataReading: { part: 1 } })
  app.clock.advance(day)
  const completed_at = new Date(app.clock.now()).toISOString()
  app.db.run(q.updateTable('backup_data_reads').set({ part: 28, completed_at }))
  expect(await status()).toMatchObject({ allDataReadAt: completed_at, dataReading: { part: 28 } })
})

test('after a backup its data is read, and a check that was cut off is made after a restart', async () => {
  const { list, job, ended } = await scene()
  await job('backup.verify-new')
  const [check] = await list()
  expect(check).toMatchObject({ details: { source: 'post_backup', ranOn: 'appliance' } })
  expect(await ended(check?.id ?? '')).toMatchObject({ status: 'passed' })
  await job('backup.verify-new')
  expect(await list()).toHaveLength(1)
})

test('while the repository is maintained a check waits, and maintenance waits for a check', async () => {
  const { app, made, verify, ended, list } = await scene()
  const lock = app.app.locks.take(made.repositoryId)
  const id = await verify()
  await eventually(() =>
    expect(app.db.one(q.selectFrom('tasks').selectAll().where('kind', '=', 'backup.verify')).attempts).toBe(1),
  )
  expect((await list()).find((check) => check.id === id)?.status).toMatch(/pending|running/)
  lock?.release()
  app.clock.advance(hour)
  app.app.tasks.wake()
  expect(await ended(id)).toMatchObject({ status: 'passed' })
})
