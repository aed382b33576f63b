import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { restic, scratchFolder } from '../../agent/testing/restic.ts'
import { q } from '../../server/db/query.ts'
import { passwordFrom } from '../../server/features/backup-storage/recovery-key.ts'
import { hour } from '../../server/platform/clock.ts'
import {
  deactivateEncryptionKey,
  listEncryptionKeys,
  openRecoverySheet,
  readKeyRotation,
  rotateEncryptionKey,
} from '../../shared/api/backup-keys.ts'
import { createRestore } from '../../shared/api/backup-restores.ts'
import { enrolledDevice, signIn } from '../helpers/factories.ts'
import { type AgentSocket, connect } from '../helpers/fake-device.ts'
import { auditOf, setDevice } from '../helpers/rows.ts'
import { passFactor } from '../helpers/sessions.ts'
import { storingDevice } from '../helpers/stored-snapshot.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

/** Real repositories, whose key is rotated, and which are opened with the recovery sheet alone. */

type Enrolled = Awaited<ReturnType<typeof enrolledDevice>>

/** Two devices with a backup each, in repositories that restic has made with the passwords of the appliance. */
async function scene() {
  const app = await testApp()
  onTestFinished(() => app[Symbol.asyncDispose]())
  const made = await storingDevice(app)
  const folder = scratchFolder()
  const source = join(folder, 'work')
  mkdirSync(source)
  writeFileSync(join(source, 'report [1].txt'), 'the report')
  writeFileSync(join(source, 'other.txt'), 'another')
  const backedUp = async (device: Enrolled, socket: AgentSocket) => {
    const job = (await made.operator.run(device.deviceId)).body
    const { payload } = await socket.frame((frame) => frame.id === job.id)
    const { repositoryId, password } = (payload as { engine: { repositoryId: string; password: string } }).engine
    const place = join(app.dataDir, 'backups', repositoryId)
    const engine = restic(place, password)
    await engine.ok('init')
    await engine.ok('backup', '--host', device.deviceId, source)
    const [snapshot] = JSON.parse(await engine.ok('snapshots', '--json')) as [{ id: string }]
    const result = { status: 'completed', snapshotId: snapshot.id, filesBackedUp: 2, bytesBackedUp: 17 }
    socket.send({ type: 'command_result', commandId: job.id, status: 'completed', result })
    await socket.settled()
    /** The password that the device gets with a restore of this backup. */
    const passwordToRestore = async () => {
      const [row] = (await made.operator.snapshots()).filter(({ jobId }) => jobId === job.id)
      const asked = await app.call(createRestore, { body: { snapshotId: row?.id ?? '' } } as never, {
        token: made.token,
      })
      expect(asked.status, JSON.stringify(asked.body)).toBe(201)
      const commandId = asked.body.id
      const { payload } = await socket.frame((frame) => frame.id === commandId)
      const result = { status: 'failed', snapshotId: snapshot.id, error: 'Nothing was restored' }
      socket.send({ type: 'command_result', commandId, status: 'failed', result })
      await socket.settled()
      return (payload as { engine: { password: string } }).engine.password
    }
    return { repositoryId, place, engine, password, snapshotId: snapshot.id, passwordToRestore }
  }
  const second = await enrolledDevice(app, made.key.key, 'pc-2')
  setDevice(app, second.deviceId, { backup_version: 'restic/0.14.0' })
  const one = await backedUp(made.device, made.socket)
  const two = await backedUp(second, await connect(made.origin, second))
  await app.app.jobs.runNow('components.take-installed')
  return { app, as: { token: made.token }, folder, source, one, two, operator: made.operator, device: made.device }
}

const sheetKeys = async (app: TestApp, as: { token: string }) =>
  (await app.call(openRecoverySheet, {}, as)).body.data.keys.map(({ key }) => key)

const admin = (...args: string[]) => {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../server/admin/index.ts'), ...args], {
    env: { PATH: process.env.PATH ?? '' },
  })
  return async (input: string) => {
    child.stdin.end(`${input}\n`)
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { out, err }
  }
}

test('a rotation reaches every repository, one that is away when it is back, and until then the old key opens that one', async () => {
  const { app, as, one, two, folder, source, operator, device } = await scene()
  const [key] = (await app.call(listEncryptionKeys, {}, as)).body.data
  expect(key).toMatchObject({ name: 'Backup key', repositories: 2 })
  expect(one.password).not.toBe(two.password)
  const params = { id: key?.id ?? '' }
  const referenced = { status: 409, body: { code: 'backup_key_referenced' } }
  expect(await app.call(deactivateEncryptionKey, { params }, as)).toMatchObject(referenced)

  const away = join(folder, 'away')
  renameSync(two.place, away)
  const { newKey } = (await app.call(rotateEncryptionKey, { params }, as)).body
  const rotate = () => app.app.jobs.runNow('backup.rotate-keys')
  const rotation = async () => (await app.call(readKeyRotation, {}, as)).body.data
  expect(await rotation()).toMatchObject({ total: 2, changing: 2, repositories: [{ step: 'waiting' }, {}] })
  const running = (await operator.run(device.deviceId)).body
  expect((await rotate()).lastOutcome).toBe('success')
  expect(await rotation(), 'a backup has the old password').toMatchObject({ changing: 2 })
  expect((await one.engine.run('cat', 'config')).code).toBe(0)
  await operator.cancel(running.id)
  expect((await rotate()).lastOutcome).toBe('success')

  expect((await one.engine.run('cat', 'config')).stderr).toContain('wrong password or no key found')
  const row = (id: string) => app.db.one(q.selectFrom('backup_repositories').selectAll().where('id', '=', id))
  expect(row(one.repositoryId)).toMatchObject({ key_id: newKey.id, key_error: null, lock_until: null })
  expect(row(two.repositoryId)).toMatchObject({ key_id: params.id, key_error: expect.stringContaining('isn’t there') })
  expect(await rotation()).toMatchObject({ changing: 1, repositories: [{ id: two.repositoryId, step: 'waiting' }] })
  const ofSnapshots = () => app.db.all(q.selectFrom('backup_snapshots').select('encryption_key_id').orderBy('id'))
  expect(ofSnapshots()).toEqual([{ encryption_key_id: newKey.id }, { encryption_key_id: params.id }])
  expect((await restic(away, two.password).run('cat', 'config')).code).toBe(0)
  expect((await app.call(openRecoverySheet, {}, as)).body.data.keys).toHaveLength(2)
  expect(await app.call(deactivateEncryptionKey, { params }, as)).toMatchObject(referenced)

  renameSync(away, two.place)
  // What the appliance tells a device to restore with opens the repository, with its former key or with the new one.
  for (const repository of [one, two]) {
    const password = await repository.passwordToRestore()
    expect(password === repository.password).toBe(repository === two)
    const target = join(folder, repository.repositoryId)
    await restic(repository.place, password).ok('restore', repository.snapshotId, '--target', target)
    expect(readFileSync(join(target, source, 'other.txt'), 'utf8')).toBe('another')
  }
  await rotate()
  expect(row(two.repositoryId).key_id, 'tried an hour later, not every minute').toBe(params.id)
  app.clock.advance(hour)
  await rotate()
  expect((await two.engine.run('cat', 'config')).code).not.toBe(0)
  as.token = await signIn(app, 'ada@acme.test')
  passFactor(app, as.token)
  expect(await rotation()).toMatchObject({ changing: 0, repositories: [] })
  expect(auditOf(app, 'backup.repository.change_key')).toHaveLength(2)
  const sheet = await sheetKeys(app, as)
  expect(sheet).toHaveLength(1)
  const renewed = restic(two.place, passwordFrom(sheet[0] ?? '', two.repositoryId))
  expect(JSON.parse(await renewed.ok('key', 'list', '--json'))).toMatchObject([{ current: true }])
  expect((await app.call(deactivateEncryptionKey, { params }, as)).status).toBe(200)
}, 240_000)

test('with the appliance lost, the folder of repositories and the sheet bring a file back, by the command or by restic alone', async () => {
  const { app, as, one, two, folder, source } = await scene()
  const [key = ''] = await sheetKeys(app, as)
  const saved = join(folder, 'saved')
  cpSync(join(app.dataDir, 'backups'), saved, { recursive: true })
  rmSync(app.dataDir, { recursive: true })

  const written = (key.toUpperCase().match(/.{4}/g) ?? []).join(' ')
  const listed = await admin('recover-repository', saved, '--key-stdin')(written)
  expect(listed.err).toBe('')
  for (const { repositoryId, snapshotId } of [one, two]) {
    expect(listed.out).toContain(`${join(saved, repositoryId)}: 1 snapshot`)
    expect(listed.out).toContain(snapshotId.slice(0, 16))
  }
  const file = join(source, 'report [1].txt')
  const target = join(folder, 'back')
  const place = join(saved, one.repositoryId)
  const wish = ['--key-stdin', '--snapshot', one.snapshotId, '--path', file, '--to', target]
  const restored = await admin('recover-repository', place, ...wish)(written)
  expect(restored).toEqual({ out: `Restored to ${join(target, file)}\n`, err: '' })
  expect(readFileSync(join(target, file), 'utf8')).toBe('the report')

  const wrong = await admin(
    'recover-repository',
    place,
    '--key-stdin',
  )(key.replace(/^./, (c) => (c === '0' ? '1' : '0')))
  expect(wrong).toEqual({ out: '', err: expect.stringContaining('this key does not open it') })

  // As the documentation says it.
  const hmac = ['dgst', '-sha256', '-r', '-mac', 'HMAC', '-macopt', `hexkey:${key}`]
  const password = String(execFileSync('openssl', hmac, { input: two.repositoryId })).slice(0, 64)
  const alone = restic(join(saved, two.repositoryId), password)
  expect(await alone.ok('dump', 'latest', file)).toBe('the report')
}, 240_000)
