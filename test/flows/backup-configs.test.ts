import { expect, onTestFinished, test } from 'vitest'
import { openSecrets } from '../../server/platform/secrets.ts'
import {
  createBackupConfig,
  deleteBackupConfig,
  listBackupConfigs,
  readBackupConfig,
  updateBackupConfig,
} from '../../shared/api/backup-configs.ts'
import { contents } from '../contract/stage.ts'
import { company, organizationOf, otherCompany, person } from '../helpers/factories.ts'
import { testApp } from '../helpers/test-app.ts'

/** Where backups go: the settings of each provider, and how their secrets are kept. */

const s3 = {
  bucket: 'backups',
  region: 'eu-central-1',
  endpoint: 's3.example.test',
  accessKey: 'AKIA-TEST',
  secretKey: 'very secret',
  prefix: '/homeport//nightly/',
}

async function scene() {
  const app = await testApp()
  onTestFinished(() => app[Symbol.asyncDispose]())
  const { admin, org, device } = await company(app)
  const create = (body: object, token = admin.token) =>
    app.call(createBackupConfig, { body: { name: 'Store', provider: 's3', details: s3, ...body } } as never, { token })
  const patch = (id: string, body: object) =>
    app.call(updateBackupConfig, { params: { id }, body } as never, { token: admin.token })
  const stored = (id: string) => {
    const sealed = app.db.statement('SELECT provider_config FROM backup_configs WHERE id = ?').pluck().get(id)
    const text = openSecrets(app.dataDir).decrypt(String(sealed), `backup_configs:provider_config:${id}`)
    return JSON.parse(text) as Record<string, unknown>
  }
  const list = async () => (await app.call(listBackupConfigs, {}, { token: admin.token })).body.data
  return { app, admin, org, device, create, patch, stored, list }
}

const mark = { redacted: true, hasSecret: true, masked: '********' }

test('storage is created with its settings in one form, and answered without its secrets', async () => {
  const { app, create, stored, list } = await scene()
  const { status, body } = await create({ isDefault: true })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    provider: 's3',
    enabled: true,
    isDefault: true,
    encryption: { enabled: true, status: 'enforced', mode: 'client' },
    providerCapabilities: null,
    details: {
      bucket: 'backups',
      region: 'eu-central-1',
      endpoint: 'https://s3.example.test',
      prefix: 'homeport/nightly',
      accessKey: mark,
      secretKey: mark,
    },
  })
  expect(stored(body.id)).toMatchObject({ accessKey: 'AKIA-TEST', secretKey: 'very secret' })
  expect(await list()).toEqual([body])
  const events = app.db.statement(`SELECT * FROM audit_logs WHERE action = 'backup.config.create'`).all()
  expect(events).toMatchObject([{ resource_id: body.id }])
  const row = app.db.statement('SELECT * FROM backup_configs').get()
  expect(JSON.stringify([events, row])).not.toContain('very secret')
})

test.each([
  ['s3', { ...s3, bucket: '' }, 'S3 bucket is required'],
  [
    's3',
    { ...s3, region: undefined },
    'S3 region is required (set it explicitly or use an endpoint that includes it, e.g. s3.us-west-004.backblazeb2.com)',
  ],
  ['s3', { ...s3, endpoint: 'ftp://x.test' }, 'Must be an http or https address'],
  ['s3', { ...s3, secretKey: mark }, 'The secret key is required'],
  ['local', { location: 'device' }, 'The path is required'],
  ['local', { path: 'backups' }, 'Must be an absolute path on the device'],
  ['local', { path: '/mnt/../etc' }, 'Must not contain ..'],
  ['local', { location: 'moon' }, 'Must be appliance or device'],
  ['sftp', { host: 'nas', username: 'backup', path: '/b', privateKey: 'k' }, 'The key of the host is required'],
  [
    'sftp',
    { host: '-oProxyCommand=x', username: 'b', path: '/b', privateKey: 'k', hostKey: 'h' },
    'Must be a host name',
  ],
  ['rest', { url: 'https://user:pass@nas.test/' }, 'Give the user name and the password beside it'],
  ['azure_blob', { accountName: 'a', container: 'c' }, 'The account key or a SAS token is required'],
  [
    'google_cloud',
    { projectId: 'p', bucket: 'b', credentialsJson: '{' },
    'Must be the JSON key file of a service account',
  ],
  ['backblaze', { bucket: 'b', keyId: 'k' }, 'The application key is required'],
])('%s with %j is refused: %s', async (provider, details, message) => {
  const { app, create } = await scene()
  const before = await contents(app)
  const { status, body } = await create({ provider, details })
  expect([status, body.code]).toEqual([400, 'validation_failed'])
  expect(body.error).toContain(message)
  expect(await contents(app)).toEqual(before)
})

test('the region is taken from an endpoint that has it', async () => {
  const { create } = await scene()
  const details = { ...s3, region: undefined, endpoint: 'http://s3.us-west-004.backblazeb2.com/' }
  expect((await create({ details })).body.details).toMatchObject({
    region: 'us-west-004',
    endpoint: 'http://s3.us-west-004.backblazeb2.com',
  })
})

test('what was read can be sent back, one setting changed, and a secret taken away by null only', async () => {
  const { create, patch, stored } = await scene()
  const { body: config } = await create({ details: { ...s3, sessionToken: 'a token' } })
  const before = stored(config.id)
  expect((await patch(config.id, { details: config.details, name: 'Renamed' })).body.name).toBe('Renamed')
  expect(stored(config.id)).toEqual(before)
  await patch(config.id, { details: { prefix: 'x' } })
  expect(stored(config.id)).toEqual({ ...before, prefix: 'x' })
  await patch(config.id, { details: { secretKey: 'another', accessKey: '****', sessionToken: null } })
  expect(stored(config.id)).toMatchObject({ secretKey: 'another', accessKey: 'AKIA-TEST' })
  expect(stored(config.id)).not.toHaveProperty('sessionToken')
  const refused = await patch(config.id, { details: { secretKey: null } })
  expect(refused.status).toBe(400)
  expect(stored(config.id)).toMatchObject({ secretKey: 'another' })
  expect((await patch(config.id, { provider: 'local', name: 'Still S3' })).body.provider).toBe('s3')
  expect((await patch(config.id, {})).body).toMatchObject({ code: 'no_updates' })
})

test('an organization has at most one default, also when ten are made the default at once', async () => {
  const { create, patch, list } = await scene()
  const ids: string[] = []
  for (let n = 0; n < 10; n++) ids.push((await create({ name: `Store ${n}`, isDefault: n === 0 })).body.id)
  await Promise.all(ids.map((id) => patch(id, { isDefault: true })))
  const defaults = () => list().then((all) => all.filter(({ isDefault }) => isDefault).map(({ id }) => id))
  const [only, ...others] = await defaults()
  expect(others).toEqual([])
  const another = ids.find((id) => id !== only) ?? ''
  expect((await patch(another, { isDefault: true, details: { bucket: ' ' } })).status).toBe(400)
  expect(await defaults()).toEqual([only])
})

test('storage that a device has a repository in stays', async () => {
  const { app, admin, org, device, create } = await scene()
  const { body: config } = await create({})
  const remove = () => app.call(deleteBackupConfig, { params: { id: config.id } }, { token: admin.token })
  const at = '2026-03-01T09:00:00.000Z'
  app.db
    .statement(
      `INSERT INTO storage_encryption_keys (id, org_id, name, encrypted_private_key, key_hash, created_at, updated_at)
       VALUES ('k', ?, 'key', '', '', ?, ?)`,
    )
    .run(org.id, at, at)
  app.db
    .statement(
      `INSERT INTO backup_repositories (id, org_id, config_id, device_id, sub_path, key_id, created_at, updated_at)
       VALUES ('r', ?, ?, ?, '', 'k', ?, ?)`,
    )
    .run(org.id, config.id, device.deviceId, at, at)
  const before = await contents(app)
  expect(await remove()).toMatchObject({ status: 409, body: { code: 'backup_config_in_use' } })
  expect(await contents(app)).toEqual(before)
  app.db.statement('DELETE FROM backup_repositories').run()
  expect(await remove()).toMatchObject({ status: 200, body: { deleted: true } })
  expect(await remove()).toMatchObject({ status: 404, body: { error: 'Config not found' } })
})

test('storage of another organization is found by nobody, and an organization out of reach is none at all', async () => {
  const { app, admin, org, create } = await scene()
  const { body: config } = await create({ orgId: org.id })
  const stranger = await otherCompany(app)
  const asStranger = { token: stranger.admin.token }
  expect((await app.call(readBackupConfig, { params: { id: config.id } }, asStranger)).status).toBe(404)
  const elsewhere = await app.call(listBackupConfigs, { query: { orgId: org.id } }, asStranger)
  expect(elsewhere).toMatchObject({ status: 400, body: { error: 'orgId is required for this scope' } })
  await organizationOf(app, admin.token, 'Oslo')
  const unclear = await app.call(listBackupConfigs, {}, { token: admin.token })
  expect(unclear).toMatchObject({ status: 400, body: { error: 'orgId is required for this scope' } })
  const viewer = await person(app, { email: 'v@x.test', scope: 'organization', orgId: org.id, role: 'Org Viewer' })
  expect((await app.call(listBackupConfigs, {}, viewer)).status).toBe(403)
})
