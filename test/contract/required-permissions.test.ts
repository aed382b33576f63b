import { expect, test } from 'vitest'
import { allEndpoints } from '../../shared/api/index.ts'
import { type Endpoint, everyScope, type UserAccess } from '../../shared/endpoint.ts'

/**
 * What the public API asks of a caller: permission, or one of two, second factor (`M` where it may be none, `M!` where it
 * has to be shown), and the status of success where it is not 200.
 */
const table = `
GET    /users/me                                    –
PATCH  /users/me                                    –
POST   /users/me/avatar                             –
DELETE /users/me/avatar                             –
GET    /users/:id/avatar                            –
GET    /users                                       users:read
GET    /users/roles                                 users:read
GET    /users/:id                                   users:read
POST   /users/invite                                users:invite M 201
POST   /users/resend-invite                         users:invite M
PATCH  /users/:id                                   users:write M
DELETE /users/:id                                   users:delete M
POST   /users/:id/role                              users:write M
POST   /users/:id/mfa/reset                         users:write M!
GET    /roles                                       users:read
POST   /roles                                       users:write M 201
GET    /roles/permissions/available                 users:read
GET    /permissions/catalog                         –
GET    /roles/:id                                   users:read
PATCH  /roles/:id                                   users:write M
DELETE /roles/:id                                   users:delete M
POST   /roles/:id/clone                             users:write M 201
GET    /roles/:id/users                             users:read
GET    /roles/:id/effective-permissions             users:read
GET    /api-keys                                    organizations:read
POST   /api-keys                                    organizations:write M 201
GET    /api-keys/:id                                organizations:read
PATCH  /api-keys/:id                                organizations:write M
DELETE /api-keys/:id                                organizations:write M
POST   /api-keys/:id/rotate                         organizations:write M
GET    /audit-logs                                  audit:read
GET    /audit-logs/logs                             audit:read
GET    /audit-logs/logs/:id                         audit:read
GET    /audit-logs/search                           audit:read
POST   /audit-logs/export                           audit:export M
GET    /audit-logs/export                           audit:export M
GET    /audit-logs/reports/user-activity            audit:read
GET    /audit-logs/reports/security-events          audit:read
GET    /audit-logs/reports/compliance               audit:read
GET    /audit-logs/stats                            audit:read
GET    /orgs/organizations/:id/audit-retention      audit:read
PUT    /orgs/organizations/:id/audit-retention      audit:manage M
GET    /sso/presets                                 –
GET    /sso/providers                               –
GET    /sso/providers/:id                           –
POST   /sso/providers                               organizations:write|sso:admin M! 201
PATCH  /sso/providers/:id                           organizations:write|sso:admin M!
DELETE /sso/providers/:id                           organizations:write|sso:admin M!
POST   /sso/providers/:id/status                    organizations:write|sso:admin M!
POST   /sso/providers/:id/test                      organizations:write|sso:admin M!
GET    /sso/providers/:id/readiness                 organizations:write|sso:admin
GET    /sso/domains                                 –
POST   /sso/domains                                 organizations:write|sso:admin M! 201
POST   /sso/domains/:id/verify                      organizations:write|sso:admin M!
DELETE /sso/domains/:id                             organizations:write|sso:admin M!
GET    /sso/link/options                            –
POST   /sso/link/start/:providerId                  – M
GET    /sso/identities                              –
DELETE /sso/identities/:id                          – M
`

const markers = { strict: 'M!', session: 'M' }

function asked({ access, status }: Endpoint): string {
  const { permission = '–', or, mfa } = access as UserAccess
  return [
    or ? `${permission}|${or}` : permission,
    ...(mfa ? [markers[mfa]] : []),
    ...(status === 200 ? [] : [status]),
  ].join(' ')
}

test('what runs something on a device asks for a second factor shown in the session', () => {
  const running = allEndpoints.filter(
    ({ access }) =>
      access.who === 'user' && (access.permission?.endsWith(':execute') || access.and?.endsWith(':execute')),
  )
  expect(running.map(({ name }) => name).toSorted()).toEqual([
    'backup-downloads.start',
    'backup-jobs.cancel',
    'backup-jobs.run',
    'backup-jobs.run-all',
    'backup-preview.run',
    'backup-restores.cancel',
    'backup-restores.create',
    'backup-vaults.sync',
    'backup-verification.verify',
    'commands.cancel',
    'commands.queue',
    'commands.queue-several',
    'scripts.run',
    'scripts.run-several',
  ])
  for (const { name, access } of running) expect([name, (access as UserAccess).mfa]).toEqual([name, 'strict'])
})

test('people, roles, keys, the audit log and single sign-on require what the reference says', () => {
  for (const line of table.trim().split('\n')) {
    const [method, path, ...wanted] = line.split(/\s+/)
    const endpoint = allEndpoints.find((one) => one.method === method && one.path === path)
    if (!endpoint) throw new Error(`There is no ${method} ${path}`)
    expect(asked(endpoint), endpoint.name).toBe(wanted.join(' '))
    const scopes = endpoint.name === 'users.update' ? ['system'] : everyScope
    expect((endpoint.access as UserAccess).scopes, endpoint.name).toEqual(scopes)
  }
})
