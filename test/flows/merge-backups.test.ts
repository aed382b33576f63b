import { randomUUIDv7 } from 'node:crypto'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { isoNow } from '../../server/platform/clock.ts'
import { createBackupConfig } from '../../shared/api/backup-configs.ts'
import { createEncryptionKey, openRecoverySheet } from '../../shared/api/backup-keys.ts'
import { createVault } from '../../shared/api/backup-vaults.ts'
import { passFactor } from '../helpers/sessions.ts'
import { mergeScene } from './merge-kit.ts'

test('after a merge backups and second copies in other storage are looked for where they were made, and the sheet says where', async () => {
  const { app, admin, loser, survivor, run } = await mergeScene()
  const as = { token: admin.token }
  passFactor(app, admin.token)
  const query = { orgId: loser.org.id }
  const details = { bucket: 'b', region: 'eu', endpoint: 's3.example.test', accessKey: 'AK', secretKey: 'SK' }
  const s3 = { name: 'Bucket', provider: 's3', isDefault: false, enabled: true, encryption: false, details } as const
  const config = (await app.call(createBackupConfig, { query, body: s3 }, as)).body
  const copies = (await app.call(createBackupConfig, { query, body: { ...s3, name: 'Far' } }, as)).body
  const key = (await app.call(createEncryptionKey, { query, body: { name: 'Main' } } as never, as)).body
  const now = isoNow(app.clock)
  const repository = {
    id: randomUUIDv7(),
    org_id: loser.org.id,
    device_id: loser.device.deviceId,
    state: 'ready',
  } as const
  app.db.run(
    q.insertInto('backup_repositories').values({
      ...{ ...repository, config_id: config.id, key_id: key.id, sub_path: `${loser.org.id}/${repository.id}` },
      ...{ created_at: now, updated_at: now },
    }),
  )
  const vault = { deviceId: null, place: 'storage', configId: copies.id }
  expect((await app.call(createVault, { query, body: vault } as never, as)).status).toBe(201)
  await app.app.jobs.runNow('backup.watch-copies')
  const copy = () => app.db.one(q.selectFrom('backup_vault_repositories').select(['org_id', 'sub_path']))
  const subPath = `${loser.org.id}/copies/${repository.id}`
  expect(copy()).toEqual({ org_id: loser.org.id, sub_path: subPath })

  await run('completed')
  expect(copy()).toEqual({ org_id: survivor.org.id, sub_path: subPath })
  const sheet = (await app.call(openRecoverySheet, { query: { orgId: survivor.org.id } } as never, as)).body.data
  const places = (below: string) =>
    [survivor.org.id, loser.org.id].map((id) => expect.stringContaining(`/${id}/${below}FOLDER`))
  expect(sheet.storages.filter(({ name }) => name === 'Bucket').map(({ place }) => place)).toEqual(places(''))
  expect(sheet.secondCopies.map(({ place }) => place)).toEqual(places('copies/'))
})
