import { hash, randomUUIDv7 } from 'node:crypto'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { createBackupConfig } from '../../shared/api/backup-configs.ts'
import { runJob } from '../../shared/api/system.ts'
import { enroll } from '../../shared/device/enroll.ts'
import { eventually } from '../helpers/eventually.ts'
import { s3StandIn } from '../helpers/s3-stand-in.ts'
import { call, killableAppliance, setUp, showFactor } from './scene.ts'

/** The appliance is killed while storage locks the objects of a repository. */

const packs = 600
const until = '2035-01-01T00:00:00.000Z'

test('whenever the appliance is killed, it knows what is locked, and says only what is true', async () => {
  const bucket = await s3StandIn()
  const appliance = await killableAppliance({ OUTBOUND_ALLOWED_CIDRS: '127.0.0.1' })
  const { origin } = appliance
  const { token, org, key } = await setUp(appliance)
  await showFactor(appliance, token)
  const storage = { name: 'Bucket', provider: 's3', enabled: true, encryption: false, isDefault: true } as const
  const config = await call(origin, createBackupConfig, { body: { ...storage, details: bucket.details } }, token)
  const about = { hostname: 'till', osType: 'linux', osVersion: '24.04', architecture: 'amd64', agentVersion: '1' }
  const { deviceId } = await call(origin, enroll as never, { body: { enrollmentKey: key.key, ...about } } as never)
  const [keyId, repositoryId, snapshotId] = [randomUUIDv7(), randomUUIDv7(), 'ab'.repeat(32)]
  const db = appliance.openDatabase()
  const at = '2026-01-01T00:00:00.000Z'
  const dated = { created_at: at, updated_at: at }
  const of = { org_id: org.id, device_id: deviceId, config_id: config.id, ...dated }
  const secret = { encrypted_private_key: 'x', key_hash: 'x' }
  db.run(
    q.insertInto('storage_encryption_keys').values({ id: keyId, org_id: org.id, name: 'Key', ...secret, ...dated }),
  )
  const repository = { id: repositoryId, sub_path: `${org.id}/${repositoryId}`, key_id: keyId, state: 'ready' } as const
  db.run(q.insertInto('backup_repositories').values({ ...repository, ...of }))
  db.run(
    q.insertInto('backup_snapshots').values({
      ...{ id: randomUUIDv7(), repository_id: repositoryId, snapshot_id: snapshotId, timestamp: at, ...of },
      ...{ size: 1, file_count: 1, label: 'Backup', backup_type: 'file', backup_mode: 'file' },
      ...{ is_immutable: 1, immutable_until: until, immutability_enforcement: 'application' },
      ...{ requested_immutability_enforcement: 'provider', awaits_object_lock: 1 },
    }),
  )
  const packOf = (n: number) => hash('sha256', String(n))
  const names = Array.from({ length: packs }, (_, n) => `data/${packOf(n).slice(0, 2)}/${packOf(n)}`)
  for (const name of ['config', `snapshots/${snapshotId}`, ...names])
    bucket.objects.set(`${bucket.details.prefix}/${repository.sub_path}/${name}`, null)

  const run = () => call(origin, runJob, { params: { name: 'backup.lock-objects' } }, token)
  const enforcement = () => db.one(q.selectFrom('backup_snapshots').select('immutability_enforcement'))
  for (const amount of [50, 300, 450]) {
    const ended = run().catch(() => {})
    await eventually(() => expect(bucket.puts.length).toBeGreaterThan(amount))
    await appliance.kill()
    await ended
    expect(enforcement()).toEqual({ immutability_enforcement: 'application' })
    await appliance.start()
  }
  await run()
  expect(enforcement()).toEqual({ immutability_enforcement: 'provider' })
  for (const [name, lock] of bucket.objects) expect((lock?.until ?? '') > until, name).toBe(true)
  expect(bucket.puts.length, 'at most what one folder has is asked for again').toBeLessThan(packs + 100)
  db.close()
})
