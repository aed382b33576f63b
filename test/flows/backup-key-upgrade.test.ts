import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { restic, scratchFolder } from '../../agent/testing/restic.ts'
import type { Database } from '../../server/db/database.ts'
import { q } from '../../server/db/query.ts'
import { passwordFrom } from '../../server/features/backup-storage/recovery-key.ts'
import type { Secrets } from '../../server/platform/secrets.ts'
import { listEncryptionKeys, openRecoverySheet, readKeyRotation } from '../../shared/api/backup-keys.ts'
import { person } from '../helpers/factories.ts'
import { passFactor } from '../helpers/sessions.ts'
import { testApp } from '../helpers/test-app.ts'

/** An appliance from the time when each repository had a key of its own, which is upgraded. */

const at = '2026-02-01T09:00:00.000Z'
const stamps = { created_at: at, updated_at: at }

const [partner, org, site, config] = [randomUUIDv7(), randomUUIDv7(), randomUUIDv7(), randomUUIDv7()]

interface Old {
  device: string
  repository: string
  key: string
  password: string
  snapshot: string
  /** In the store of the appliance, or in a folder that it reaches as well. */
  isInStore: boolean
}

const old = (isInStore: boolean): Old => ({
  ...{ device: randomUUIDv7(), repository: randomUUIDv7(), key: randomUUIDv7(), isInStore },
  // As the appliance made them then.
  ...{ password: randomBytes(32).toString('base64url'), snapshot: randomBytes(32).toString('hex') },
})

function insert(db: Database, table: string, row: Record<string, string | number | null>): void {
  const columns = Object.keys(row)
  db.statement(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((column) => `@${column}`).join(', ')})`,
  ).run(row)
}

const fill = (all: readonly Old[]) => (db: Database, secrets: Secrets) => {
  insert(db, 'partners', { id: partner, name: 'Acme', slug: 'acme', status: 'active', ...stamps })
  insert(db, 'organizations', { id: org, partner_id: partner, name: 'Berlin', slug: 'berlin', ...stamps })
  insert(db, 'sites', { id: site, org_id: org, name: 'HQ', ...stamps })
  const sealed = secrets.encrypt('{}', `backup_configs:provider_config:${config}`)
  const storage = { name: 'Appliance', provider: 'local', provider_config: sealed, is_default: 1 }
  insert(db, 'backup_configs', { id: config, org_id: org, ...storage, ...stamps })
  for (const [n, { device, repository, key, password, snapshot, isInStore }] of all.entries()) {
    const of = { org_id: org, config_id: config, device_id: device }
    const about = { hostname: `pc-${n + 1}`, os_type: 'linux', status: 'offline' }
    insert(db, 'devices', { id: device, org_id: org, site_id: site, agent_id: randomUUIDv7(), ...about, ...stamps })
    const encrypted = secrets.encrypt(password, `storage_encryption_keys:encrypted_private_key:${key}`)
    const named = { name: 'Backup key', encrypted_private_key: encrypted, key_hash: 'f'.repeat(64) }
    insert(db, 'storage_encryption_keys', { id: key, org_id: org, ...named, ...stamps })
    const place = { sub_path: `${org}/${device}`, key_id: key, state: 'ready', is_in_store: Number(isInStore) }
    insert(db, 'backup_repositories', { id: repository, ...of, ...place, ...stamps })
    const taken = { snapshot_id: snapshot, timestamp: at, size: 10, file_count: 1, label: 'Backup' }
    const kind = { backup_type: 'file', backup_mode: 'file', encryption_key_id: key, repository_id: repository }
    insert(db, 'backup_snapshots', { id: randomUUIDv7(), ...of, ...taken, ...kind, ...stamps })
  }
}

async function upgraded(all: readonly Old[]) {
  const app = await testApp({ before: { migration: '025-backup-keys', fill: fill(all) } })
  onTestFinished(() => app[Symbol.asyncDispose]())
  const admin = await person(app, { email: 'ada@acme.test', scope: 'partner', partnerId: partner })
  passFactor(app, admin.token)
  const call = { query: { orgId: org } }
  const as = { token: admin.token }
  return {
    app,
    sheet: async () => {
      const { status, body } = await app.call(openRecoverySheet, call, as)
      expect(status, JSON.stringify(body)).toBe(200)
      return body.data
    },
    keys: async () => (await app.call(listEncryptionKeys, call, as)).body.data,
    rotation: async () => (await app.call(readKeyRotation, call, as)).body.data,
  }
}

test('repositories with a key of their own get the one of the organization, and open at every moment', async () => {
  const one = old(true)
  const { app, sheet, keys, rotation } = await upgraded([one])
  const folder = join(app.dataDir, 'backups', one.repository)
  const source = join(scratchFolder(), 'work')
  mkdirSync(source)
  writeFileSync(join(source, 'report.txt'), 'the report')
  const before = restic(folder, one.password)
  await before.ok('init')
  await before.ok('backup', source)

  expect(await sheet(), 'what opens it before anything is changed').toMatchObject({
    keys: [],
    passwords: [{ deviceName: 'pc-1', folder: one.repository, password: one.password }],
  })
  expect(await rotation()).toMatchObject({ total: 1, changing: 1, repositories: [{ step: 'waiting' }] })
  expect(await keys(), 'the old ones are none of the organization').toEqual([])

  await app.app.jobs.runNow('components.take-installed')
  expect(await app.app.jobs.runNow('backup.rotate-keys')).toMatchObject({ lastOutcome: 'success', lastError: null })
  expect(await rotation()).toMatchObject({ changing: 0 })
  expect(await keys()).toMatchObject([{ name: 'Backup key', isActive: true, repositories: 1, lockedAwayAt: null }])
  const { keys: printed, passwords } = await sheet()
  expect(passwords).toEqual([])
  const password = passwordFrom(printed[0]?.key ?? '', one.repository)
  expect(await restic(folder, password).ok('dump', 'latest', join(source, 'report.txt'))).toBe('the report')
  expect((await before.run('cat', 'config')).stderr).toContain('wrong password or no key found')
  const [row] = app.db.all(q.selectFrom('backup_snapshots').select('encryption_key_id'))
  expect(row?.encryption_key_id).toBe(printed[0]?.id)
}, 120_000)

test('the sheet has every password of a repository that has a key of its own, and the folders of 500 devices', async () => {
  const all = Array.from({ length: 512 }, (_, n) => old(n % 2 === 0))
  const { sheet } = await upgraded(all)
  const { passwords, repositories, repositoryCount } = await sheet()
  expect(passwords.map(({ password }) => password).sort()).toEqual(all.map(({ password }) => password).sort())
  // Elsewhere the folder has the name of the device.
  const folders = new Map(passwords.map(({ folder, password }) => [password, folder]))
  for (const { password, repository, device, isInStore } of all)
    expect(folders.get(password)).toBe(isInStore ? repository : device)
  expect([repositories.length, repositoryCount]).toEqual([500, 512])
})
