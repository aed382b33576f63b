import { expect, test } from 'vitest'
import { watchedTables } from '../../server/features/authentication/index.ts'
import { listDevices } from '../../shared/api/devices.ts'
import { fakeDevice } from '../helpers/fake-device.ts'
import { keyScene } from './api-key-kit.ts'

/**
 * Authorization is cached between requests until a table it depends on is written. Each of these tests removes the
 * permission by a write outside of any service, and the next request must be refused.
 */

type Scene = Awaited<ReturnType<typeof scene>>

async function scene() {
  const kit = await keyScene({ env: { HOMEPORT_LIMIT_ENROLLMENT_KEY_CREATE: '0/60' } })
  const { app, org, device } = kit
  const partnerUser = await kit.colleague({ email: 'partner@x.test' })
  const orgUser = await kit.colleague({ email: 'org@x.test', scope: 'organization', orgId: org.id })
  const { key } = await kit.made()
  const status = async (token: string) => (await app.call(listDevices, {}, { token })).status
  return {
    ...kit,
    partnerUser,
    orgUser,
    callers: {
      'a partner’s person': () => status(partnerUser.token),
      'an organization’s person': () => status(orgUser.token),
      'an API key': async () => (await kit.use(key)).status,
      'a device': async () => (await fakeDevice(app, device).beat()).status,
    },
  }
}
type Caller = keyof Scene['callers']

const writes: [table: string, how: string, caller: Caller, status: number, sql: (s: Scene) => string | string[]][] = [
  [
    'users',
    'an update',
    'a partner’s person',
    403,
    (s) => `UPDATE users SET status = 'disabled' WHERE id = '${s.partnerUser.id}'`,
  ],
  [
    'users',
    'an update',
    'an API key',
    401,
    (s) => `UPDATE users SET status = 'disabled' WHERE id = '${s.admin.userId}'`,
  ],
  [
    'sessions',
    'an update',
    'a partner’s person',
    401,
    (s) => `UPDATE sessions SET revoked_at = created_at WHERE user_id = '${s.partnerUser.id}'`,
  ],
  [
    'sessions',
    'a delete',
    'an organization’s person',
    401,
    (s) => `DELETE FROM sessions WHERE user_id = '${s.orgUser.id}'`,
  ],
  [
    'sessions',
    'a cascade from users',
    'a partner’s person',
    401,
    (s) => [
      `DELETE FROM partner_users WHERE user_id = '${s.partnerUser.id}'`,
      `DELETE FROM users WHERE id = '${s.partnerUser.id}'`,
    ],
  ],
  [
    'partner_users',
    'a delete',
    'a partner’s person',
    401,
    (s) => `DELETE FROM partner_users WHERE user_id = '${s.partnerUser.id}'`,
  ],
  [
    'partner_users',
    'a replacement',
    'a partner’s person',
    403,
    (s) => `INSERT OR REPLACE INTO partner_users
    SELECT id, partner_id, user_id, 'bare', org_access, org_ids, created_at, updated_at
    FROM partner_users WHERE user_id = '${s.partnerUser.id}'`,
  ],
  [
    'organization_users',
    'a delete',
    'an organization’s person',
    401,
    (s) => `DELETE FROM organization_users WHERE user_id = '${s.orgUser.id}'`,
  ],
  [
    'role_permissions',
    'a delete',
    'an organization’s person',
    403,
    () => `DELETE FROM role_permissions WHERE role_id = (SELECT parent_role_id FROM roles WHERE id = 'heir')`,
  ],
  [
    'roles',
    'an update of what it inherits',
    'an organization’s person',
    403,
    () => `UPDATE roles SET parent_role_id = NULL WHERE id = 'heir'`,
  ],
  ['partners', 'an update', 'a partner’s person', 403, () => `UPDATE partners SET status = 'suspended'`],
  ['partners', 'an update', 'an API key', 401, () => `UPDATE partners SET status = 'suspended'`],
  [
    'organizations',
    'an update',
    'an organization’s person',
    403,
    () => `UPDATE organizations SET status = 'suspended'`,
  ],
  ['api_keys', 'an update', 'an API key', 401, () => `UPDATE api_keys SET status = 'revoked'`],
  ['api_keys', 'a delete', 'an API key', 401, () => 'DELETE FROM api_keys'],
  ['devices', 'an update', 'a device', 401, () => `UPDATE devices SET agent_token_hash = 'none'`],
  ['devices', 'a delete', 'a device', 401, () => 'DELETE FROM devices'],
]

/** A role without permissions, and one with all it inherits. */
const roles = `INSERT INTO roles (id, scope, name, parent_role_id, is_system, created_at, updated_at)
  SELECT 'bare', 'partner', 'bare', NULL, 1, created_at, created_at FROM roles WHERE name = 'Org Admin'
  UNION ALL SELECT 'heir', 'organization', 'heir', id, 1, created_at, created_at FROM roles WHERE name = 'Org Admin'`

test.each(writes)(
  '%s, by %s: %s is refused with %i at the next request',
  async (_table, _how, caller, refusal, sql) => {
    const one = await scene()
    const { app, callers } = one
    app.db.statement(roles).run()
    app.db.statement(`UPDATE organization_users SET role_id = 'heir' WHERE user_id = ?`).run(one.orgUser.id)
    expect(await callers[caller]()).toBe(200)
    for (const statement of [sql(one)].flat()) app.db.statement(statement).run()
    expect(await callers[caller]()).toBe(refusal)
  },
)

test('a change that is rolled back revokes nothing, whatever was requested meanwhile', async () => {
  const one = await scene()
  const { app, callers } = one
  expect(() =>
    app.db.transaction(() => {
      app.db.statement(`UPDATE users SET status = 'disabled'`).run()
      app.db.statement(`UPDATE partners SET status = 'suspended'`).run()
      throw new Error('undone')
    }),
  ).toThrow('undone')
  for (const call of Object.values(callers)) expect(await call()).toBe(200)
})

test('every table that authorization depends on is written in these tests', () => {
  const missing = watchedTables.filter((table) => !writes.some(([written]) => written === table))
  // The requirements of identity providers are tested with single sign-on.
  expect(missing).toEqual(['sso_providers'])
})
