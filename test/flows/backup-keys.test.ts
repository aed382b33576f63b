import { expect, onTestFinished, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { openSecrets } from '../../server/platform/secrets.ts'
import {
  confirmRecoverySheet,
  createEncryptionKey,
  deactivateEncryptionKey,
  listEncryptionKeys,
  openRecoverySheet,
  readEncryptionKey,
  rotateEncryptionKey,
  updateEncryptionKey,
} from '../../shared/api/backup-keys.ts'
import { company, otherCompany } from '../helpers/factories.ts'
import { auditOf } from '../helpers/rows.ts'
import { passFactor } from '../helpers/sessions.ts'
import { testApp } from '../helpers/test-app.ts'

/** Keys of an organization: made here or brought along, rotated, deactivated when nothing needs them. */

const material = { encryptedPrivateKey: 'opaque-material-of-somebody', keyHash: 'f'.repeat(64) }

async function scene() {
  const app = await testApp()
  onTestFinished(() => app[Symbol.asyncDispose]())
  const made = await company(app)
  const { token } = made.admin
  passFactor(app, token)
  const as = { token }
  const create = (body: object) => app.call(createEncryptionKey, { body } as never, as)
  const rotate = (id: string, body?: object) =>
    app.call(rotateEncryptionKey, { params: { id }, ...(body && { body }) } as never, as)
  const list = async (query: object = {}) => (await app.call(listEncryptionKeys, { query } as never, as)).body.data
  return { ...made, app, as, create, rotate, list }
}

test('a key is made from a name and a type, or from material, and no answer or event has what is in it', async () => {
  const { app, as, create, list } = await scene()
  const managed = await create({ name: 'Main', keyType: 'aes_256' })
  expect(managed).toMatchObject({
    status: 201,
    body: {
      ...{ name: 'Main', keyType: 'aes_256', keyHash: expect.stringMatching(/^[0-9a-f]{64}$/), isActive: true },
      ...{ hasDecryptMaterial: true, managedRestoreSupported: true, repositories: 0, lockedAwayAt: null },
      ...{ rotatedAt: null, expiresAt: null },
    },
  })
  const own = await create({ name: 'Ours', keyType: 'rsa_2048', ...material, publicKeyPem: 'PUBLIC' })
  expect(own).toMatchObject({ status: 201, body: { managedRestoreSupported: false, keyHash: material.keyHash } })
  const stored = app.db.all(q.selectFrom('storage_encryption_keys').selectAll().orderBy('id'))
  const secrets = stored.map(({ id, encrypted_private_key: sealed }) =>
    openSecrets(app.dataDir).decrypt(sealed, `storage_encryption_keys:encrypted_private_key:${id}`),
  )
  expect(secrets).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), material.encryptedPrivateKey])
  const one = await app.call(readEncryptionKey, { params: { id: own.body.id } }, as)
  const events = auditOf(app, 'backup.encryption_key.create')
  expect(events).toHaveLength(2)
  const said = JSON.stringify([managed.body, own.body, one.body, await list(), events])
  for (const hidden of ['PUBLIC', ...secrets, ...stored.map((row) => row.encrypted_private_key)])
    expect(said).not.toContain(hidden)
  expect(await list()).toMatchObject([{ name: 'Ours' }, { name: 'Main' }])
})

test('what does not fit together is refused and makes no key', async () => {
  const { app, create, list } = await scene()
  const refusals = [
    [{ name: 'x', keyType: 'rsa_2048' }, 'backup_key_needs_material'],
    [{ name: 'x', keyHash: material.keyHash }, 'backup_key_material_incomplete'],
    [{ name: 'x', publicKeyPem: 'PUBLIC' }, 'backup_key_material_incomplete'],
    [{ name: '' }, 'validation_failed'],
    [{ name: 'x'.repeat(201) }, 'validation_failed'],
    [{ name: 'x', ...material, encryptedPrivateKey: 'short' }, 'validation_failed'],
  ] as const
  for (const [body, code] of refusals) expect(await create(body), code).toMatchObject({ status: 400, body: { code } })
  expect(await list()).toEqual([])
  expect(auditOf(app, 'backup.encryption_key.create')).toEqual([])
})

test('a rotated key is replaced, and of ten at the same time one does it', async () => {
  const { app, create, rotate, list } = await scene()
  const { id } = (await create({ name: 'Main' })).body
  const newMaterial = { newKeyHash: material.keyHash, newEncryptedPrivateKey: material.encryptedPrivateKey }
  expect(await rotate(id, newMaterial)).toMatchObject({ status: 400, body: { code: 'backup_key_is_managed' } })
  const answers = await Promise.all(Array.from({ length: 10 }, () => rotate(id)))
  const good = answers.filter(({ status }) => status === 200)
  expect(good).toMatchObject([{ body: { previousKeyId: id, newKey: { name: 'Main (rotated)', isActive: true } } }])
  for (const one of answers.filter((answer) => answer !== good[0]))
    expect(one).toMatchObject({ status: 400, body: { error: 'Cannot rotate an inactive key' } })
  expect(await list()).toMatchObject([{ id: good[0]?.body.newKey.id }])
  const all = await list({ includeInactive: 'true' })
  expect(all).toMatchObject([{}, { id, isActive: false, rotatedAt: expect.any(String) }])
  expect(auditOf(app, 'backup.encryption_key.rotate')).toHaveLength(1)
})

test('a key that was brought along is replaced by another one of that kind', async () => {
  const { create, rotate } = await scene()
  const { id } = (await create({ name: 'Ours', ...material })).body
  expect(await rotate(id)).toMatchObject({ status: 400, body: { code: 'backup_key_is_yours' } })
  const newMaterial = { newKeyHash: 'e'.repeat(64), newEncryptedPrivateKey: material.encryptedPrivateKey }
  expect(await rotate(id, newMaterial)).toMatchObject({
    status: 200,
    body: { previousKeyId: id, newKey: { keyHash: 'e'.repeat(64), managedRestoreSupported: false } },
  })
})

test('a key that nothing needs is deactivated, by DELETE or by PATCH', async () => {
  const { app, as, create, list } = await scene()
  const one = (await create({ name: 'one' })).body.id
  const params = { id: (await create({ name: 'two' })).body.id }
  const done = { status: 200, body: { deactivated: true } }
  expect(await app.call(deactivateEncryptionKey, { params: { id: one } }, as)).toMatchObject(done)
  const wrong = await app.call(updateEncryptionKey, { params, body: { status: 'active' } } as never, as)
  expect(wrong.status).toBe(400)
  expect(await app.call(updateEncryptionKey, { params, body: { status: 'deactivated' } }, as)).toMatchObject(done)
  expect(await list()).toEqual([])
  expect(auditOf(app, 'backup.encryption_key.deactivate')).toHaveLength(2)
  const absent = { status: 404, body: { error: 'Encryption key not found' } }
  const unknown = { params: { id: '0b9c1d52-5a0e-4c3b-9a52-1f6d0c7e8a11' } }
  expect(await app.call(readEncryptionKey, unknown, as)).toMatchObject(absent)
  expect(await app.call(deactivateEncryptionKey, unknown, as)).toMatchObject(absent)
  expect(await app.call(rotateEncryptionKey, unknown, as)).toMatchObject(absent)
})

test('the sheet takes a second factor and leaves an event without the key; it is asked for until somebody has it on paper, and again after a rotation', async () => {
  const { app, as, create, rotate, list, org } = await scene()
  const { id } = (await create({ name: 'Main' })).body
  await create({ name: 'Ours', ...material })
  const { data } = (await app.call(openRecoverySheet, {}, as)).body
  expect(data).toMatchObject({
    organization: 'Berlin',
    keys: [{ id, key: expect.stringMatching(/^[0-9a-f]{64}$/), qr: expect.stringMatching(/^data:image\/png;base64,/) }],
    passwords: [],
  })
  const [event] = auditOf(app, 'backup.recovery_sheet.create')
  expect(event).toMatchObject({ org_id: org.id, details: { keyIds: [id] } })
  expect(JSON.stringify(event)).not.toContain(data.keys[0]?.key)

  const other = await otherCompany(app)
  passFactor(app, other.admin.token)
  const confirm = (keyIds: string[], token: string) => app.call(confirmRecoverySheet, { body: { keyIds } }, { token })
  expect(await confirm([id], other.admin.token)).toMatchObject({ status: 404, body: { code: 'backup_key_not_found' } })
  expect(await list()).toMatchObject([{}, { id, lockedAwayAt: null }])
  expect(await confirm([id], as.token)).toMatchObject({
    status: 200,
    body: { data: [{ id, lockedAwayAt: expect.any(String) }] },
  })
  expect(auditOf(app, 'backup.recovery_sheet.confirm')).toHaveLength(1)
  const { newKey } = (await rotate(id)).body
  expect(newKey.lockedAwayAt).toBe(null)
  const renewed = (await app.call(openRecoverySheet, {}, as)).body.data
  expect(renewed.keys.map((key) => key.id)).toEqual([newKey.id])
  expect(renewed.keys[0]?.key).not.toBe(data.keys[0]?.key)
})

test('without a second factor there is no sheet', async () => {
  const app = await testApp()
  onTestFinished(() => app[Symbol.asyncDispose]())
  const { admin } = await company(app)
  const refused = await app.call(openRecoverySheet, {}, { token: admin.token })
  expect(refused).toMatchObject({ status: 403, body: { code: 'MFA_REQUIRED' } })
  expect(auditOf(app, 'backup.recovery_sheet.create')).toEqual([])
})
