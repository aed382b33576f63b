import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { readBackupStoreUsage, setBackupQuota } from '../../shared/api/backup-quotas.ts'
import { backupOperator } from '../helpers/backup-kit.ts'
import { company, enrolledDevice, organizationOf, otherCompany, person, siteOf } from '../helpers/factories.ts'
import { connect, listening } from '../helpers/fake-device.ts'
import { auditOf, setDevice } from '../helpers/rows.ts'
import { passFactor } from '../helpers/sessions.ts'
import { testApp } from '../helpers/test-app.ts'

/** How much an organization may store on the appliance, as devices and people meet it. */

const megabyte = 1024 ** 2

async function scene() {
  const app = await testApp()
  onTestFinished(() => app[Symbol.asyncDispose]())
  const { admin, org, key, device } = await company(app)
  const origin = await listening(app)
  const operator = backupOperator(app, admin.token)
  await operator.storage()
  const quota = (quotaBytes: number | null, token = admin.token, orgId = org.id) =>
    app.call(setBackupQuota, { body: { orgId, quotaBytes } }, { token })
  const usage = async (token = admin.token) => {
    const { status, body } = await app.call(readBackupStoreUsage, { query: { orgId: org.id } }, { token })
    return status === 200 ? body.data : { status, code: body.code }
  }
  /** A backup that runs, with what its device may do in the store. */
  const running = async (of = device) => {
    setDevice(app, of.deviceId, { backup_version: 'restic/0.18.0' })
    const socket = await connect(origin, of)
    const job = (await operator.run(of.deviceId)).body
    const { payload } = await socket.frame((frame) => frame.id === job.id)
    const { engine } = payload as { engine: { place: { path: string; username: string; password: string } } }
    const { path, username, password } = engine.place
    const authorization = `Basic ${btoa(`${username}:${password}`)}`
    const call = (what: string, init: RequestInit = {}) =>
      fetch(new URL(what, new URL(path, origin)), { ...init, headers: { authorization } })
    const upload = async (content: Buffer, kind = 'data') => {
      const name = createHash('sha256').update(content).digest('hex')
      const answer = await call(`${kind}/${name}`, { method: 'POST', body: new Uint8Array(content) })
      return answer.status === 200 ? 'stored' : ((await answer.json()) as { code: string }).code
    }
    const end = async (result: object) => {
      socket.send({ type: 'command_result', commandId: job.id, status: 'completed', result })
      await socket.settled()
      return operator.job(job.id)
    }
    return { job, call, upload, end }
  }
  return { app, admin, org, key, device, origin, quota, usage, running, ...operator }
}

const refusedByRestic = { status: 'failed', error: 'Fatal: unexpected HTTP response (507): 507 Insufficient Storage' }

test('uploads end where the quota does, also ten at once, and go on when there is room', async () => {
  const { app, key, quota, usage, running } = await scene()
  expect(await usage()).toEqual({ usedBytes: 0, quotaBytes: null, freeBytes: expect.any(Number) })
  expect((await quota(10 * megabyte)).body.data).toMatchObject({ usedBytes: 0, quotaBytes: 10 * megabyte })
  const [one, other] = [await running(), await running(await enrolledDevice(app, key.key, 'pc-2'))]
  const contents = Array.from({ length: 10 }, () => randomBytes(3 * megabyte))
  const outcomes = await Promise.all(contents.map((content, n) => (n % 2 === 0 ? one : other).upload(content)))
  expect(outcomes.toSorted()).toEqual([
    ...Array.from({ length: 7 }, () => 'backup_store_quota_reached'),
    ...Array.from({ length: 3 }, () => 'stored'),
  ])
  expect(await usage()).toMatchObject({ usedBytes: 9 * megabyte })
  // What was refused has left nothing, and a backup can still be read: that takes a lock.
  expect(readdirSync(join(app.dataDir, 'backups', '.incoming'))).toEqual([])
  const lock = Buffer.from('a lock')
  expect(await one.upload(lock, 'locks')).toBe('stored')
  await one.call(`locks/${createHash('sha256').update(lock).digest('hex')}`, { method: 'DELETE' })

  await quota(13 * megabyte)
  expect([await one.upload(randomBytes(4 * megabyte)), await one.upload(randomBytes(1))]).toEqual([
    'stored',
    'backup_store_quota_reached',
  ])
  await quota(null)
  expect(await other.upload(randomBytes(megabyte))).toBe('stored')
  expect(await usage()).toMatchObject({ usedBytes: 14 * megabyte, quotaBytes: null })
  expect(auditOf(app, 'backup.quota.update').map(({ details }) => [details.before, details.after])).toEqual([
    [{ quotaBytes: null }, { quotaBytes: 10 * megabyte }],
    [{ quotaBytes: 10 * megabyte }, { quotaBytes: 13 * megabyte }],
    [{ quotaBytes: 13 * megabyte }, { quotaBytes: null }],
  ])
})

test('a job says that the quota was used up, and the next one works when there is room', async () => {
  const { device, quota, running } = await scene()
  await quota(megabyte)
  const first = await running()
  expect(await first.upload(randomBytes(2 * megabyte))).toBe('backup_store_quota_reached')
  expect(await first.end(refusedByRestic)).toMatchObject({
    status: 'failed',
    errorLog: expect.stringMatching(/^The storage quota of the organization is used up\n.*507/s),
  })
  await quota(3 * megabyte)
  const next = await running(device)
  expect(await next.upload(randomBytes(2 * megabyte))).toBe('stored')
  // The reason of the former one is not that of this one.
  expect((await next.end({ status: 'failed', error: 'disk error' })).errorLog).toBe('disk error')
})

test('a store that cannot be written to says so, to the device and in the job', async () => {
  const { app, running, usage } = await scene()
  const job = await running()
  // A folder in which nobody may make a file.
  symlinkSync('/sys', join(app.dataDir, 'backups', '.incoming'))
  expect(await job.upload(randomBytes(1000))).toBe('backup_store_read_only')
  expect((await job.end(refusedByRestic)).errorLog).toMatch(/^The disk of the backup store cannot be written to\n/)
  expect(await usage()).toMatchObject({ usedBytes: 0 })
})

test('what is counted is what lies on the appliance, after a save as well', async () => {
  const { app, usage, running } = await scene()
  const { upload } = await running()
  await upload(randomBytes(1000))
  await upload(randomBytes(1000))
  expect(await usage()).toMatchObject({ usedBytes: 2000 })
  const saved = () => app.db.statement('SELECT stored_bytes FROM backup_repositories').pluck().get()
  await expect.poll(saved, { timeout: 10_000 }).toBe(2000)
  expect(await usage()).toMatchObject({ usedBytes: 2000 })
  // In another storage, which has room of its own.
  app.db.run(q.updateTable('backup_repositories').set({ is_in_store: 0 }))
  expect(await usage()).toMatchObject({ usedBytes: 0 })
})

test('an organization does not set its own quota, and nobody sees that of others', async () => {
  const { app, admin, org, quota, usage } = await scene()
  const stranger = (await otherCompany(app)).admin.token
  const owner = (await person(app, { email: 'o@x.test', scope: 'organization', orgId: org.id, role: 'Org Admin' }))
    .token
  const site = await siteOf(app, admin.token, org.id, 'Elsewhere')
  const confined = await person(app, { email: 's@x.test', scope: 'organization', orgId: org.id, siteIds: [site.id] })
  const sibling = await organizationOf(app, admin.token, 'Sibling')
  const selected = await person(app, {
    ...{ email: 'p@x.test', scope: 'partner', partnerId: admin.partnerId },
    ...{ orgAccess: 'selected', orgIds: [sibling.id] },
  } as const)
  for (const token of [stranger, owner, confined.token, selected.token]) passFactor(app, token)
  const before = app.rowCounts()
  expect((await quota(1, owner)).status).toBe(403)
  expect((await quota(1, stranger)).status).toBe(404)
  expect((await quota(1, selected.token)).status).toBe(404)
  for (const bad of [-1, 1.5, Number.MAX_SAFE_INTEGER + 1]) expect((await quota(bad)).status).toBe(400)
  expect(app.rowCounts()).toEqual(before)
  expect(await usage(owner)).toMatchObject({ usedBytes: 0 })
  expect(await usage(stranger)).toEqual({ status: 400, code: 'backup_org_required' })
  expect(await usage(confined.token)).toEqual({ status: 403, code: 'permission_denied' })
})
