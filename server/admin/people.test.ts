import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../config/config.ts'
import { Database } from '../db/database.ts'
import { q } from '../db/query.ts'
import { toJson } from '../lib/json.ts'
import { makePlatformAdmin, resetPassword } from './people.ts'

function appliance() {
  const dataDir = mkdtempSync(join(tmpdir(), 'homeport-people-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const db = new Database({ file: join(dataDir, 'homeport.db') })
  onTestFinished(() => db.close())
  db.migrate()
  const at = new Date(0).toISOString()
  db.run(
    q.insertInto('users').values({
      id: 'ada',
      email: 'ada@acme.test',
      name: 'Ada Kirschbaum',
      status: 'active',
      password_hash: 'old',
      pending_email: 'eve@evil.test',
      mfa_enabled: 1,
      mfa_method: 'totp',
      mfa_secret: 'sealed',
      mfa_recovery_codes: toJson(['hash']),
      phone_number: '+491701234567',
      phone_verified: 1,
      created_at: at,
      updated_at: at,
    }),
  )
  db.run(
    q.insertInto('user_passkeys').values({
      id: 'key',
      user_id: 'ada',
      credential_id: 'c',
      public_key: 'p',
      rp_id: 'box.test',
      counter: 0,
      device_type: 'singleDevice',
      backed_up: 0,
      transports: toJson([]),
      name: 'Key',
      created_at: at,
      updated_at: at,
    }),
  )
  const user = () => db.first(q.selectFrom('users').selectAll())
  const passkeys = () => db.all(q.selectFrom('user_passkeys').select('id')).length
  return { db, passkeys, config: loadConfig({ HOMEPORT_DATA_DIR: dataDir }), user }
}

test('a reset password leaves the second factor alone unless it was lost, too', async () => {
  const { config, db, user, passkeys } = appliance()
  await resetPassword(config, 'Ada@acme.test', 'Correct1Horse')
  expect(user()).toMatchObject({
    mfa_enabled: 1,
    mfa_secret: 'sealed',
    mfa_reset_at: null,
    auth_epoch: 2,
    mfa_epoch: 1,
  })
  expect([user()?.password_reset_epoch, passkeys(), user()?.pending_email]).toEqual([2, 1, null])
  await resetPassword(config, 'ada@acme.test', 'Correct1Horse', true)
  expect(user()).toMatchObject({
    mfa_enabled: 0,
    mfa_method: null,
    mfa_secret: null,
    mfa_recovery_codes: null,
    phone_number: null,
    mfa_epoch: 2,
    mfa_reset_at: expect.any(String),
  })
  expect(passkeys()).toBe(0)
  const told = db.all(q.selectFrom('tasks').select('input').orderBy('seq')).map(({ input }) => input)
  expect(told.filter((event) => event.includes('user.password.reset'))).toHaveLength(2)
  expect(told.filter((event) => event.includes('user.mfa_reset'))).toEqual([expect.stringContaining('totp')])
})

test('a weak password or an unknown address changes nothing', async () => {
  const { config, user } = appliance()
  await expect(resetPassword(config, 'ada@acme.test', 'weak')).rejects.toThrow('at least 8')
  await expect(resetPassword(config, 'ada@acme.test', 'Password123')).rejects.toThrow('common words')
  await expect(resetPassword(config, 'ada@acme.test', 'Kirschbaum-1815')).rejects.toThrow('names')
  await expect(resetPassword(config, 'eve@acme.test', 'Correct1Horse')).rejects.toThrow(
    'No user has the email address eve@acme.test',
  )
  expect(user()).toMatchObject({ password_hash: 'old', auth_epoch: 1 })
})

test('setting a password says so when the user may sign in through an identity provider only', async () => {
  const { config, db } = appliance()
  const at = new Date(0).toISOString()
  const dated = { created_at: at, updated_at: at }
  const partner = { id: 'acme', name: 'Acme', slug: 'acme', status: 'active' } as const
  db.run(q.insertInto('partners').values({ ...partner, ...dated }))
  db.run(q.insertInto('roles').values({ id: 'role', name: 'Role', scope: 'partner', partner_id: 'acme', ...dated }))
  const membership = { id: 'm', partner_id: 'acme', user_id: 'ada', role_id: 'role', org_access: 'all' } as const
  db.run(q.insertInto('partner_users').values({ ...membership, created_at: at }))
  const set = () => resetPassword(config, 'ada@acme.test', 'Correct1Horse')
  expect(await set()).not.toContain('single sign-on')
  const provider = {
    id: 'idp',
    partner_id: 'acme',
    name: 'Corp',
    type: 'oidc',
    attribute_mapping: toJson({ email: 'email', name: 'name' }),
  } as const
  db.run(q.insertInto('sso_providers').values({ ...provider, ...dated, status: 'active', enforce_sso: 1 }))
  expect(await set()).toMatch(/was set.*\n.*only single sign-on.*create-operator/)
})

test('an account is made a platform admin by its address, once, and only while it is active', () => {
  const { db, config, user } = appliance()
  expect(() => makePlatformAdmin(config, 'nobody@acme.test')).toThrow('No user has the email address nobody@acme.test')
  db.run(q.updateTable('users').set({ status: 'invited' }))
  expect(() => makePlatformAdmin(config, 'ada@acme.test')).toThrow('not active')
  expect(user()?.is_platform_admin).toBe(0)
  db.run(q.updateTable('users').set({ status: 'active' }))
  expect(makePlatformAdmin(config, 'Ada@acme.test')).toContain('is now a platform admin')
  expect(user()?.is_platform_admin).toBe(1)
  expect(makePlatformAdmin(config, 'ada@acme.test')).toContain('already')
  expect(db.all(q.selectFrom('tasks').select('id')), 'one event, which the appliance writes').toHaveLength(1)
})
