import { expect, test } from 'vitest'
import { isInUse } from '../../../../shared/api/in-use.ts'
import { allPermissions, resourceLabels } from '../../../../shared/permissions.ts'
import { freshDatabase } from '../../../../test/helpers/test-app.ts'
import { q } from '../../../db/query.ts'
import { builtInRoles, grantedPermissions, seedRoles } from './built-in.ts'
import { findGrants } from './store.ts'

/** What each built-in role grants, written out: clients and documents rely on it. */
const table = `
Partner Admin | partner | *:*
Partner Technician | partner | backup:read,write · devices:read,execute · scripts:read,execute · alerts:read,acknowledge · tickets:read · ticket_mailbox:read · reports:read,write · sites:read · topology:read · organizations:read
Partner Viewer | partner | devices:read · scripts:read · alerts:read · tickets:read · ticket_mailbox:read · reports:read · sites:read · organizations:read
Partner Billing | partner | catalog:read,write,delete · quotes:read,write,send · invoices:read,write,send,export · contracts:read,write,manage
Partner Billing Viewer | partner | catalog:read · quotes:read · invoices:read,export · contracts:read
Partner Security Approver | partner | devices:read · organizations:read · vulnerabilities:accept_risk
Org Admin | organization | backup:read,write,cross_site_restore · devices:read,write,delete,execute · scripts:read,write,delete,execute · alerts:read,write,acknowledge · tickets:read,write,manage · reports:read,write,delete,export · users:read,write,delete,invite · sites:read,write,delete · topology:read,write · remote:access · audit:read · vulnerabilities:accept_risk · ai_sessions:read_all · approvals:decide · variables:read,manage · pam:approve,manage_policy · accounting:read,manage · workspace:read,write,credentials,execute · connected_apps:read,manage
Org Technician | organization | devices:read,write,execute · scripts:read,execute · alerts:read,acknowledge · tickets:read · reports:read,write · sites:read · topology:read,write · remote:access · variables:read
Org Viewer | organization | devices:read · scripts:read · alerts:read · tickets:read · reports:read · sites:read · topology:read
Security Approver | organization | devices:read · vulnerabilities:accept_risk
`

/** All permissions, as the specification lists them. */
const catalogue = `
backup:read,write,cross_site_restore · devices:read,write,delete,execute · agent_rollback:create · topology:read,write
· scripts:read,write,delete,execute · variables:read,manage · alerts:read,write,acknowledge · tickets:read,write,manage
· ticket_mailbox:read,admin · catalog:read,write,delete · invoices:read,write,send,export · accounting:read,manage
· contracts:read,write,manage · quotes:read,write,send,fulfill · time_entries:read,write · users:read,write,delete,invite
· organizations:read,write,delete · sso:admin · sites:read,write,delete · automations:read,write,delete · remote:access
· audit:read,export,manage · reports:read,write,delete,export · billing:manage · vulnerabilities:accept_risk
· ai_sessions:read_all · ai_agents:read,write · approvals:decide · pam:approve,manage_policy
· workspace:read,write,credentials,execute · connected_apps:read,manage
`

const permissionsIn = (cell: string): string[] =>
  cell.split('·').flatMap((part) => {
    const [resource = '', actions = ''] = part.trim().split(':')
    return actions.split(',').map((action) => `${resource}:${action}`)
  })

test('the built-in roles are exactly those of the reference table, each with exactly its permissions', () => {
  const db = freshDatabase()
  seedRoles(db, '2026-03-01T09:00:00.000Z')
  const seeded = db.all(q.selectFrom('roles').selectAll()).map((role) => ({
    ...role,
    permissions: findGrants(db, role.id).map(({ resource, action }) => `${resource}:${action}`),
  }))
  const expected = table
    .trim()
    .split('\n')
    .map((line) => line.split(' | ') as [string, string, string])
  expect(new Set(seeded.map(({ name, scope }) => `${name} ${scope}`))).toEqual(
    new Set(expected.map(([name, scope]) => `${name} ${scope}`)),
  )
  for (const [name, scope, cell] of expected) {
    const role = seeded.find((one) => one.name === name)
    const alone = { is_system: 1, partner_id: null, org_id: null, parent_role_id: null }
    expect(role).toMatchObject({ ...alone, scope, force_mfa: name === 'Partner Admin' ? 1 : 0 })
    expect(role?.permissions.toSorted(), name).toEqual(permissionsIn(cell).toSorted())
  }
  db.close()
})

test('allPermissions equals the list of the specification, and every permission is stored', () => {
  const db = freshDatabase()
  seedRoles(db, '2026-03-01T09:00:00.000Z')
  expect(allPermissions).toEqual(permissionsIn(catalogue))
  const stored = db.all(q.selectFrom('permissions').selectAll()).map(({ resource, action }) => `${resource}:${action}`)
  expect(stored.toSorted()).toEqual([...allPermissions, '*:*'].toSorted())
  db.close()
})

test('every permission has its own description, which seeding restores where it is missing', () => {
  const db = freshDatabase()
  seedRoles(db, '2026-03-01T09:00:00.000Z')
  const described = () => db.all(q.selectFrom('permissions').selectAll().orderBy('id'))
  const before = described()
  for (const { resource, action, description } of before)
    expect(description, `${resource}:${action}`).toMatch(/^[A-Z].{8,180}\.$/)
  expect(new Set(before.map(({ description }) => description)).size, 'none says the same as another').toBe(
    before.length,
  )
  db.run(q.updateTable('permissions').set({ description: null }))
  seedRoles(db, '2026-03-02T09:00:00.000Z')
  expect(described()).toEqual(before)
  db.close()
})

test('descriptions of built-in roles speak only of what exists, and say where that is nothing', () => {
  const missing = Object.entries(resourceLabels).filter(
    ([resource]) => !allPermissions.some((one) => one.startsWith(`${resource}:`) && isInUse(one)),
  )
  expect(missing.length).toBeGreaterThan(0)
  for (const role of builtInRoles) {
    const granted = new Set(grantedPermissions(role))
    const isUsed = granted.has('*:*') || allPermissions.some((one) => granted.has(one) && isInUse(one))
    expect(role.description.startsWith('Not used yet'), role.name).toBe(!isUsed)
    if (!isUsed) continue
    for (const [, label] of missing)
      expect(role.description.toLowerCase(), role.name).not.toContain(label.toLowerCase())
  }
})

test('seeding brings the descriptions of built-in roles up to date, and leaves roles of that name alone', () => {
  const db = freshDatabase()
  const now = '2026-03-01T09:00:00.000Z'
  const times = { created_at: now, updated_at: now }
  seedRoles(db, now)
  const described = () => db.all(q.selectFrom('roles').select('description').orderBy('id'))
  const before = described()
  db.run(q.insertInto('partners').values({ id: 'p', name: 'Acme', slug: 'acme', ...times }))
  const own = {
    id: 'z',
    partner_id: 'p',
    scope: 'partner',
    name: 'Partner Viewer',
    is_system: 0,
    force_mfa: 0,
  } as const
  db.run(q.insertInto('roles').values({ ...own, ...times }))
  db.run(q.updateTable('roles').set({ description: 'As it was' }))
  seedRoles(db, now)
  expect(described()).toEqual([...before, { description: 'As it was' }])
  db.close()
})
