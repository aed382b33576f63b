import { randomUUIDv7 } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { authMe, login } from '../../shared/api/auth.ts'
import { createDeviceGroup } from '../../shared/api/device-groups.ts'
import { enterMembership } from '../../shared/api/memberships.ts'
import { listOrganizations } from '../../shared/api/organizations.ts'
import {
  assignRole,
  listUserRoles,
  listUsers,
  removeUser,
  resendInvite,
  resetUserMfa,
  updateUser,
} from '../../shared/api/people.ts'
import { usersMe } from '../../shared/api/profile.ts'
import { createSite } from '../../shared/api/sites.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { member, organizationOf, otherCompany, password, person, siteOf } from '../helpers/factories.ts'
import { mailOf, tokenIn } from '../helpers/mail.ts'
import { auditOf, makePlatformAdmins, setOrganization, setPartner } from '../helpers/rows.ts'
import { sessionOf } from '../helpers/sessions.ts'
import type { TestApp } from '../helpers/test-app.ts'
import { accept, acceptAll, inviteScene, lastToken } from './invite-kit.ts'
import { refreshWith, signedInJar, withFactor } from './kit.ts'

type Selector = NonNullable<InputOf<typeof removeUser>['query']>
type Answer = { status: number; body: { code?: string | undefined } }
const codes = ({ status, body }: Answer) => [status, body.code]
const done = [200, undefined]
const of = (orgId: string): Selector => ({ ownerScope: 'organization', orgId })

const remove = async (app: TestApp, token: string, id: string, query: Selector = {}) =>
  codes(await app.call(removeUser, { params: { id }, query }, { token }))
const assign = async (
  app: TestApp,
  token: string,
  id: string,
  body: InputOf<typeof assignRole>['body'],
  query: Selector = {},
) => codes(await app.call(assignRole, { params: { id }, query, body }, { token }))
const isIn = async (app: TestApp, token: string) => (await app.call(authMe, {}, { token })).status === 200

/** A role of a tenant with just these permissions. */
function customRole(
  app: TestApp,
  owner: { partner_id: string } | { org_id: string },
  grants: string[],
  parent: string | null = null,
): string {
  const id = randomUUIDv7()
  const scope = 'partner_id' in owner ? 'partner' : 'organization'
  const now = '2026-01-01T00:00:00.000Z'
  app.db.run(
    q.insertInto('roles').values({
      id,
      scope,
      name: `Role ${grants}`,
      parent_role_id: parent,
      created_at: now,
      updated_at: now,
      ...owner,
    }),
  )
  for (const row of app.db.all(q.selectFrom('permissions').selectAll()))
    if (grants.includes(`${row.resource}:${row.action}`))
      app.db.run(q.insertInto('role_permissions').values({ role_id: id, permission_id: row.id }))
  return id
}
const giveRole = (app: TestApp, userId: string, role_id: string) => {
  for (const table of ['partner_users', 'organization_users'] as const)
    app.db.run(q.updateTable(table).set({ role_id }).where('user_id', '=', userId))
}

describe('inviting users', () => {
  test('a partner admin invites to the partner, and to an organization that is named as such', async () => {
    await using scene = await inviteScene()
    const { app, admin, org, eve, eveThere, invite } = scene
    expect(codes(await invite(eve, admin.token, { orgId: org.id }))).toEqual([201, undefined])
    expect(codes(await invite({ ...eveThere, orgId: org.id }))).toEqual([201, undefined])
    expect(codes(await invite({ ...eveThere, email: 'b@x.test' }, admin.token, of(org.id)))).toEqual([201, undefined])
    const inOrg = await app.call(listUsers, { query: of(org.id) }, { token: admin.token })
    expect(inOrg.body.data.map(({ email }) => email).sort()).toEqual(['b@x.test', 'eve@x.test', 'olaf@x.test'])
    expect(inOrg.body.data.find(({ email }) => email === 'b@x.test')).toMatchObject({
      status: 'invited',
      inviteExpiresAt: '2026-03-08T09:00:00.000Z',
      siteIds: null,
      deviceGroupIds: null,
    })
    expect(auditOf(app, 'user.invite').map(({ org_id }) => org_id)).toEqual([null, org.id, org.id])
  })

  test('nobody can invite to a tenant out of reach', async () => {
    await using scene = await inviteScene()
    const { org, other, orgAdmin, eveThere, invite } = scene
    const before = scene.app.rowCounts()
    const [theirs, foreign] = [
      { ...eveThere, orgId: org.id },
      { ...eveThere, orgId: other.org.id },
    ]
    expect(codes(await invite(foreign))).toEqual([404, 'organization_not_found'])
    expect(codes(await invite(foreign, orgAdmin.token))).toEqual([404, 'organization_not_found'])
    expect(codes(await invite(theirs, other.admin.token))).toEqual([404, 'organization_not_found'])
    expect(codes(await invite({ partnerId: other.partnerId }))).toEqual([404, 'partner_not_found'])
    expect(scene.app.rowCounts()).toEqual(before)
  })

  test('somebody who is confined to sites is told so, and nobody else', async () => {
    await using scene = await inviteScene()
    const { app, admin, org } = scene
    const confined = await person(app, { email: 'site@x.test', scope: 'organization', orgId: org.id, siteIds: [] })
    const whole = await person(app, { email: 'whole@x.test', scope: 'organization', orgId: org.id })
    const told = async (token: string) => (await app.call(usersMe, {}, { token })).body.isConfined
    expect([await told(confined.token), await told(whole.token), await told(admin.token)]).toEqual([true, false, false])
  })

  test('only full access according to the membership row allows managing people', async () => {
    await using scene = await inviteScene()
    const { app, admin, org, eve, invite } = scene
    const who = { scope: 'partner', partnerId: admin.partnerId, orgAccess: 'selected' } as const
    const { token } = await person(app, { email: 'sel@x.test', ...who, orgIds: [org.id] })
    expect((await invite(eve, token)).body.error).toBe('Full partner organization access required')
    expect((await app.call(usersMe, {}, { token })).body.canManagePartnerWide).toBe(false)
    expect(await remove(app, token, admin.userId)).toEqual([403, 'full_partner_org_access_required'])
    expect(codes(await app.call(listUserRoles, {}, { token }))).toEqual([403, 'full_partner_org_access_required'])
  })

  test('a full-access admin of a company without organizations is not refused', async () => {
    await using scene = await inviteScene()
    const { app, admin, org, eve, invite } = scene
    for (const values of [{ status: 'suspended' }, { deleted_at: 'x' }] as const) {
      setOrganization(app, org.id, values)
      expect((await app.call(listUsers, {}, { token: admin.token })).status).toBe(200)
    }
    expect((await invite(eve)).status).toBe(201)
  })

  test.each(['suspended', 'offboarding', 'churned', 'archived', 'merging', 'purging'] as const)(
    'invitations to an organization that is %s are refused',
    async (status) => {
      await using scene = await inviteScene()
      const { app, admin, org, eveThere, invite } = scene
      setOrganization(app, org.id, { status })
      const isFrozen = ['archived', 'merging', 'purging'].includes(status)
      const shut = [409, isFrozen ? 'ORG_LIFECYCLE_FROZEN' : 'ORG_NOT_OPERABLE']
      expect(codes(await invite({ ...eveThere, orgId: org.id }))).toEqual(shut)
      const { id } = scene.orgAdmin
      const resent = await app.call(resendInvite, { body: { userId: id }, query: of(org.id) }, { token: admin.token })
      expect(codes(resent)).toEqual(shut)
      const { roleId } = eveThere
      const change = isFrozen ? [409, 'ORG_LIFECYCLE_FROZEN'] : done
      expect(await assign(app, admin.token, id, { roleId }, of(org.id))).toEqual(change)
      expect(await remove(app, admin.token, id, of(org.id))).toEqual(change)
    },
  )

  test('an operator invites the first member of a company without members', async () => {
    await using scene = await inviteScene()
    const { app, org, eve, roleOf, invite } = scene
    const { token } = await person(app, { email: 'root@x.test', scope: 'system' })
    const bare = await otherCompany(app, 'Bare')
    app.db.run(q.deleteFrom('partner_users').where('partner_id', '=', bare.partnerId))
    const first = { ...eve, roleId: roleOf('Partner Admin'), orgAccess: 'all' } as const
    const nowhere = await invite(first, token)
    expect([nowhere.status, nowhere.body.error]).toEqual([403, 'Partner or organization context required'])
    expect(codes(await invite({ ...first, partnerId: randomUUIDv7() }, token))).toEqual([404, 'partner_not_found'])
    expect(codes(await invite({ ...first, partnerId: bare.partnerId }, token))).toEqual([201, undefined])
    const accepted = await accept(app, await lastToken(app))
    const me = await app.call(usersMe, {}, { token: accepted.body.tokens?.accessToken })
    expect(me.body).toMatchObject({ partnerId: bare.partnerId, canManagePartnerWide: true })
    expect(me.body.permissions).toEqual([{ resource: '*', action: '*' }])
    expect(auditOf(app, 'user.invite')).toMatchObject([{ partner_id: bare.partnerId }])
    const there = { ...scene.eveThere, email: 'there@x.test' }
    expect(codes(await invite(there, token, { orgId: org.id }))).toEqual([201, undefined])
    const also = { ...there, email: 'also@x.test', orgId: org.id, partnerId: bare.partnerId }
    expect(codes(await invite(also, token)), 'an organization that is named is meant').toEqual([201, undefined])
    setPartner(app, bare.partnerId, { deleted_at: 'x' })
    expect(codes(await invite({ ...first, partnerId: bare.partnerId }, token))).toEqual([404, 'partner_not_found'])
  })

  test('a session without a factor may invite while no policy requires one', async () => {
    await using scene = await inviteScene()
    const { app, admin, invite } = scene
    expect((await invite()).status).toBe(201)
    app.db.run(q.updateTable('users').set({ mfa_enabled: 1, mfa_method: 'totp' }).where('id', '=', admin.userId))
    expect(codes(await invite({ email: 'b@x.test' }))).toEqual([403, 'MFA_REQUIRED'])
    setPartner(app, admin.partnerId, { settings: toJson({ security: { requireMfa: true } }) })
    app.db.run(q.updateTable('users').set({ mfa_enabled: 0 }).where('id', '=', admin.userId))
    expect((await invite({ email: 'b@x.test' })).status).toBe(428)
  })
})

describe('roles and reach of an invitation', () => {
  test('ids must belong to the tenant and fit the membership', async () => {
    await using scene = await inviteScene()
    const { app, admin, org, other, orgAdmin, eve, eveThere, invite } = scene
    const gone = await organizationOf(app, admin.token, 'Gone')
    setOrganization(app, gone.id, { deleted_at: 'x' })
    const theirs = await app.call(
      createDeviceGroup,
      { body: { orgId: other.org.id, name: 'G' } },
      { token: await sessionOf(app, other.admin.id, 'totp') },
    )
    const wrong: [object, string][] = [
      [{ ...eve, orgAccess: 'selected' }, 'orgIds'],
      [{ ...eve, orgAccess: 'selected', orgIds: [] }, 'orgIds'],
      [{ ...eve, orgAccess: 'all', orgIds: [org.id] }, 'orgIds'],
      [{ ...eve, orgIds: [org.id] }, 'orgIds'],
      [{ ...eve, orgAccess: 'selected', orgIds: [org.id, other.org.id] }, 'orgIds'],
      [{ ...eve, orgAccess: 'selected', orgIds: [gone.id] }, 'orgIds'],
      [{ ...eve, siteIds: [] }, 'siteIds'],
      [{ ...eve, deviceGroupIds: null }, 'deviceGroupIds'],
      [{ ...eveThere, orgId: org.id, orgAccess: 'all' }, 'orgAccess'],
      [{ ...eveThere, orgId: org.id, siteIds: [other.site.id] }, 'siteIds'],
      [{ ...eveThere, orgId: org.id, deviceGroupIds: [theirs.body.data.id] }, 'deviceGroupIds'],
    ]
    const before = app.rowCounts()
    for (const [body, field] of wrong) {
      const answer = await invite(body)
      expect(codes(answer), JSON.stringify(body)).toEqual([400, 'validation_failed'])
      expect(answer.body.details).toMatchObject({ fieldErrors: { [field]: expect.anything() } })
    }
    expect(app.rowCounts()).toEqual(before)

    const site = await siteOf(app, admin.token, org.id)
    const token = await sessionOf(app, admin.userId, 'totp')
    const group = await app.call(createDeviceGroup, { body: { orgId: org.id, name: 'G' } }, { token })
    const [siteIds, deviceGroupIds] = [[site.id], [group.body.data.id]]
    const rows = []
    for (const reach of [{ siteIds, deviceGroupIds }, { siteIds: [], deviceGroupIds: [] }, {}]) {
      const email: string = `member-${rows.length}@x.test`
      rows.push((await invite({ ...eveThere, ...reach, email }, orgAdmin.token)).body.id)
    }
    const { body } = await app.call(listUsers, {}, { token: orgAdmin.token })
    const reachOf = (id: string | undefined) => {
      const row = body.data.find((one) => one.id === id)
      return [row?.siteIds, row?.deviceGroupIds]
    }
    expect(rows.map(reachOf)).toEqual([
      [siteIds, deviceGroupIds],
      [[], null],
      [null, null],
    ])
    const { id } = (await invite({ ...eve, orgAccess: 'selected', orgIds: [org.id, org.id] })).body
    const people = await app.call(listUsers, {}, { token: admin.token })
    expect(people.body.data.find((one) => one.id === id)).toMatchObject({ orgAccess: 'selected', orgIds: [org.id] })
    const plain = (await invite({ email: 'plain@x.test' })).body.id
    const again = await app.call(listUsers, {}, { token: admin.token })
    expect(again.body.data.find((one) => one.id === plain)).toMatchObject({ orgAccess: 'none', orgIds: null })
  })

  test('a role must have the scope and tenant of the membership, even a built-in one', async () => {
    await using scene = await inviteScene()
    const { app, admin, org, other, roleOf, invite } = scene
    const mate = await member(app, { email: 'mate@x.test', scope: 'partner', partnerId: admin.partnerId })
    const theirs = customRole(app, { partner_id: other.partnerId }, ['devices:read'])
    app.db.run(q.updateTable('roles').set({ is_system: 1, name: 'Partner Admin' }).where('id', '=', theirs))
    const ofOrg = customRole(app, { org_id: org.id }, ['devices:read'])
    const sister = await organizationOf(app, admin.token, 'Sister')
    const ofSister = customRole(app, { org_id: sister.id }, ['devices:read'])
    for (const [roleId, status] of [
      [ofOrg, 201],
      [ofSister, 400],
    ] as const)
      expect((await invite({ email: `${status}@x.test`, roleId }, admin.token, of(org.id))).status).toBe(status)
    for (const roleId of [theirs, ofOrg, roleOf('Org Admin', 'organization'), randomUUIDv7()]) {
      const answer = await invite({ roleId })
      expect([answer.status, answer.body.error]).toEqual([400, 'Invalid role for this scope'])
      expect(await assign(app, admin.token, mate.id, { roleId })).toEqual([400, 'role_not_of_scope'])
    }
    const { body } = await app.call(listUserRoles, {}, { token: admin.token })
    expect(body.data.map(({ id }) => id)).not.toContain(theirs)
    expect(body.data.map(({ name }) => name)).toEqual([
      'Partner Admin',
      'Partner Billing',
      'Partner Billing Viewer',
      'Partner Security Approver',
      'Partner Technician',
      'Partner Viewer',
    ])
    expect(body.data.filter(({ isUsed }) => !isUsed).map(({ name }) => name)).toEqual([
      'Partner Billing',
      'Partner Billing Viewer',
    ])
    for (const orgId of [org.id, other.org.id]) {
      const appended = await app.call(listUserRoles, { query: { orgId } }, { token: admin.token })
      expect(appended.body, 'what clients append to every call').toEqual(body)
    }
    const seen = await app.call(listUserRoles, {}, { token: other.admin.token })
    expect(seen.body.data.filter(({ name }) => name === 'Partner Admin')).toMatchObject([{ id: theirs }])
    const there = await app.call(listUserRoles, { query: of(org.id) }, { token: admin.token })
    expect(there.body.data.map(({ id }) => id)).toContain(ofOrg)
    expect(new Set(there.body.data.map(({ scope }) => scope))).toEqual(new Set(['organization']))
  })

  test('a caller cannot assign permissions they do not hold, not even inherited ones', async () => {
    await using scene = await inviteScene()
    const { app, admin, org, eveThere, roleOf, invite } = scene
    const able = ['users:read', 'users:write', 'users:invite', 'devices:read', 'scripts:read', 'sites:read']
    const { id, token } = await person(app, { email: 'lead@x.test', scope: 'organization', orgId: org.id })
    giveRole(app, id, customRole(app, { org_id: org.id }, able))
    const plain = customRole(app, { org_id: org.id }, ['devices:read'])
    const runner = customRole(app, { org_id: org.id }, ['scripts:execute'])
    const heir = customRole(app, { org_id: org.id }, [], runner)
    for (const roleId of [runner, heir]) {
      const answer = await invite({ ...eveThere, roleId }, token)
      expect(codes(answer)).toEqual([403, 'permission_not_held'])
      expect(answer.body.requiredPermission).toBe('scripts:execute')
      const peer = { email: `${roleId}@x.test`, scope: 'organization', orgId: org.id } as const
      const { id: peerId } = await member(app, { ...peer, role: 'Org Viewer' })
      giveRole(app, peerId, plain)
      expect(await assign(app, token, peerId, { roleId })).toEqual([403, 'permission_not_held'])
    }
    expect(codes(await invite({ ...eveThere, roleId: plain }, token))).toEqual([201, undefined])
    const { body } = await app.call(listUserRoles, {}, { token })
    const may = body.data.filter(({ isAssignable }) => isAssignable).map((role) => role.id)
    expect(may).toContain(plain)
    for (const roleId of [runner, heir, roleOf('Org Admin', 'organization')]) expect(may).not.toContain(roleId)

    const clerk = await person(app, { email: 'clerk@x.test', scope: 'partner', partnerId: admin.partnerId })
    giveRole(app, clerk.id, customRole(app, { partner_id: admin.partnerId }, able))
    const everything = roleOf('Partner Admin')
    expect(codes(await invite({ roleId: everything }, clerk.token))).toEqual([403, 'permission_not_held'])
    const wild = customRole(app, { partner_id: admin.partnerId }, ['*:*'])
    expect(codes(await invite({ roleId: wild }))).toEqual([403, 'wildcard_in_custom_role'])
  })

  test('a caller confined to a site can invite only with that confinement', async () => {
    await using scene = await inviteScene()
    const { app, admin, org, orgAdmin, eveThere, invite } = scene
    const [one, two] = [await siteOf(app, admin.token, org.id, '1'), await siteOf(app, admin.token, org.id, '2')]
    const who = { email: 'site@x.test', scope: 'organization', orgId: org.id } as const
    const { token } = await person(app, { ...who, siteIds: [one.id] })
    const wider = [403, 'reach_wider_than_own']
    for (const reach of [{}, { siteIds: null }, { siteIds: [one.id, two.id] }])
      expect(codes(await invite({ ...eveThere, ...reach }, token))).toEqual(wider)
    expect(codes(await invite({ ...eveThere, siteIds: [one.id] }, token))).toEqual([201, undefined])
    const { roleId } = eveThere
    const peer = await member(app, { ...who, email: 'peer@x.test', siteIds: [one.id] })
    expect(await assign(app, token, peer.id, { roleId, siteIds: [one.id, two.id] })).toEqual(wider)
    expect(await assign(app, token, peer.id, { roleId, siteIds: [one.id] })).toEqual(done)
    // They cannot confine users with a wider reach.
    const further = [403, 'user_may_do_more']
    expect(await assign(app, token, orgAdmin.id, { roleId, siteIds: [one.id] })).toEqual(further)
  })

  test('a caller confined to a device group can invite only with that confinement', async () => {
    await using scene = await inviteScene()
    const { app, admin, org, eveThere, invite } = scene
    const strict = await sessionOf(app, admin.userId, 'totp')
    const { body } = await app.call(createDeviceGroup, { body: { orgId: org.id, name: 'G' } }, { token: strict })
    const deviceGroupIds = [body.data.id]
    const who = { email: 'group@x.test', scope: 'organization', orgId: org.id } as const
    const { token } = await person(app, { ...who, deviceGroupIds })
    for (const reach of [{}, { deviceGroupIds: null }, { deviceGroupIds: [] }])
      expect(codes(await invite({ ...eveThere, ...reach }, token))).toEqual([403, 'reach_wider_than_own'])
    expect(codes(await invite({ ...eveThere, deviceGroupIds }, token))).toEqual([201, undefined])
  })
})

describe('changing a role', () => {
  test('applies to the next request with the same token', async () => {
    await using scene = await inviteScene()
    const { app, admin, roleOf } = scene
    const who = { scope: 'partner', partnerId: admin.partnerId, role: 'Partner Viewer' } as const
    const { id, token } = await person(app, { email: 'v@x.test', ...who })
    expect((await app.call(listOrganizations, {}, { token })).status).toBe(200)
    expect(await assign(app, admin.token, id, { roleId: roleOf('Partner Billing') })).toEqual(done)
    expect((await app.call(listOrganizations, {}, { token })).status).toBe(403)
    const [event] = auditOf(app, 'user.role.assign')
    expect(event).toMatchObject({ resource_id: id, partner_id: admin.partnerId, actor_id: admin.userId })
    expect(event?.details).toMatchObject({
      changedFields: ['roleId'],
      previousRoleName: 'Partner Viewer',
      roleName: 'Partner Billing',
    })
  })

  test('keeps the reach if none is given, and is refused for oneself', async () => {
    await using scene = await inviteScene()
    const { app, admin, org, orgAdmin, roleOf, eveThere } = scene
    const roleId = roleOf('Partner Technician')
    const who = { scope: 'partner', partnerId: admin.partnerId, orgAccess: 'selected' } as const
    const { id } = await member(app, { email: 'sel@x.test', ...who, orgIds: [org.id] })
    const rowOf = () => app.db.first(q.selectFrom('partner_users').selectAll().where('user_id', '=', id))
    expect(await assign(app, admin.token, id, { roleId })).toEqual(done)
    expect(rowOf()).toMatchObject({ role_id: roleId, org_access: 'selected', org_ids: JSON.stringify([org.id]) })
    expect(await assign(app, admin.token, id, { roleId, orgAccess: 'all' })).toEqual(done)
    expect(rowOf()).toMatchObject({ org_access: 'all', org_ids: null })
    const wrong = await assign(app, admin.token, id, { roleId, orgAccess: 'selected' })
    expect(wrong).toEqual([400, 'validation_failed'])
    expect(await assign(app, admin.token, admin.userId, { roleId })).toEqual([403, 'own_role_change'])
    const own = await assign(app, orgAdmin.token, orgAdmin.id, { roleId: eveThere.roleId })
    expect(own).toEqual([403, 'own_role_change'])
    const site = await siteOf(app, admin.token, org.id)
    const token = await sessionOf(app, admin.userId, 'totp')
    const group = await app.call(createDeviceGroup, { body: { orgId: org.id, name: 'G' } }, { token })
    const reach = { siteIds: [site.id], deviceGroupIds: [group.body.data.id] }
    const give = (change: object) => assign(app, token, orgAdmin.id, { roleId: eveThere.roleId, ...change }, of(org.id))
    for (const change of [reach, {}]) expect(await give(change)).toEqual(done)
    const confined = app.db.first(q.selectFrom('organization_users').selectAll().where('user_id', '=', orgAdmin.id))
    expect(JSON.parse(confined?.site_ids ?? '')).toEqual(reach.siteIds)
    expect(JSON.parse(confined?.device_group_ids ?? '')).toEqual(reach.deviceGroupIds)
    expect(await give({ siteIds: null })).toEqual(done)
    expect(auditOf(app, 'user.role.assign').at(-1)?.details).toMatchObject({
      changedFields: ['siteIds'],
      before: { siteIds: [site.id], siteNames: [site.name] },
      after: { siteIds: null, siteNames: ['All'] },
    })
    const told = auditOf(app, 'user.role.assign').map(({ details: { before, after } }) => [before, after])
    expect(told[1]).toMatchObject([{ orgNames: [org.name] }, { orgAccess: 'all', orgNames: ['All'] }])
  })
})

test('is refused, like removal, for users with more permissions or a wider reach', async () => {
  await using scene = await inviteScene()
  const { app, admin, org, orgAdmin, eveThere, invite } = scene
  const site = await siteOf(app, admin.token, org.id)
  const inOrg = { scope: 'organization', orgId: org.id } as const
  const confined = await person(app, { email: 'site@x.test', ...inOrg, siteIds: [site.id] })
  const clerk = await person(app, { email: 'clerk@x.test', ...inOrg })
  giveRole(
    app,
    clerk.id,
    customRole(app, { org_id: org.id }, ['users:read', 'users:write', 'users:delete', 'users:invite']),
  )
  const desk = await person(app, { email: 'desk@x.test', scope: 'partner', partnerId: admin.partnerId })
  giveRole(
    app,
    desk.id,
    customRole(app, { partner_id: admin.partnerId }, ['users:read', 'users:write', 'users:delete']),
  )
  const chief = await member(app, { email: 'chief@x.test', scope: 'partner', partnerId: admin.partnerId })
  const offered = (await invite({ ...eveThere, email: admin.email, orgId: org.id })).body.id
  const nothing = customRole(app, { org_id: org.id }, [])
  const nothingOfPartner = customRole(app, { partner_id: admin.partnerId }, [])
  const before = app.rowCounts()
  const refused = [403, 'user_may_do_more']
  for (const [caller, id, roleId, query] of [
    [confined, orgAdmin.id, nothing, {}],
    [confined, offered, nothing, {}],
    [clerk, orgAdmin.id, nothing, {}],
    [clerk, offered, nothing, {}],
    [clerk, confined.id, nothing, {}],
    [desk, chief.id, nothingOfPartner, {}],
    [desk, orgAdmin.id, nothing, of(org.id)],
  ] as const) {
    expect(await remove(app, caller.token, id, query)).toEqual(refused)
    expect(await assign(app, caller.token, id, { roleId }, query)).toEqual(refused)
  }
  expect(app.rowCounts()).toEqual(before)
  expect(auditOf(app, 'user.remove')).toEqual([])
  expect(auditOf(app, 'user.role.assign')).toEqual([])
  const peer = await member(app, { email: 'peer@x.test', ...inOrg, siteIds: [site.id], role: 'Org Viewer' })
  expect(await remove(app, confined.token, peer.id), 'but of their own kind they may').toEqual(done)
  expect(await remove(app, orgAdmin.token, confined.id)).toEqual(done)
})

describe('removing a membership', () => {
  test('ends only the sessions that work in it, and other tenants continue', async () => {
    await using scene = await inviteScene()
    const { app, admin, other, eveThere, invite } = scene
    const both = await member(app, { email: 'both@x.test', scope: 'partner', partnerId: admin.partnerId })
    await invite({ ...eveThere, email: both.email, orgId: other.org.id }, other.admin.token)
    const [here, there] = [await signedInJar(app, both.email, password), await signedInJar(app, both.email, password)]
    const [membershipId] = await acceptAll(app, there.token)
    const entered = await app.call(enterMembership, { params: { id: membershipId as string } }, { token: there.token })
    const before = app.db.first(q.selectFrom('users').selectAll().where('id', '=', both.id))
    expect(await remove(app, admin.token, both.id)).toEqual(done)
    expect(await isIn(app, here.token), 'at once').toBe(false)
    expect((await refreshWith(app, here.jar)).status).toBe(401)
    expect(await isIn(app, entered.body.tokens.accessToken)).toBe(true)
    expect((await refreshWith(app, there.jar)).status).toBe(200)
    expect(app.db.first(q.selectFrom('users').selectAll().where('id', '=', both.id))).toEqual(before)
    const again = await signedInJar(app, both.email, password)
    const me = await app.call(usersMe, {}, { token: again.token })
    expect(me.body).toMatchObject({ scope: 'organization', orgId: other.org.id })
    expect(auditOf(app, 'user.remove')).toMatchObject([{ resource_id: both.id, partner_id: admin.partnerId }])
  })

  test('takes effect with the next request, even when only the row is deleted', async () => {
    await using scene = await inviteScene()
    const { app, admin } = scene
    const { id, token } = await person(app, { email: 'cut@x.test', scope: 'partner', partnerId: admin.partnerId })
    expect(await isIn(app, token)).toBe(true)
    app.db.run(q.deleteFrom('partner_users').where('user_id', '=', id))
    expect(await isIn(app, token)).toBe(false)
  })

  test('without another one prevents signing in until another invitation is accepted by signing in', async () => {
    await using scene = await inviteScene()
    const { app, admin, org, orgAdmin, eveThere, invite } = scene
    expect(await remove(app, admin.token, orgAdmin.id, of(org.id))).toEqual(done)
    const enter = () => app.call(login, { body: { email: orgAdmin.email, password } })
    expect(codes(await enter())).toEqual([401, 'invalid_credentials'])
    expect(await remove(app, admin.token, orgAdmin.id, of(org.id))).toEqual([404, 'user_not_found'])
    const again = await invite({ ...eveThere, email: orgAdmin.email, orgId: org.id })
    expect(again.body.status).toBe('invited')
    expect(codes(await enter()), 'an invitation alone opens nothing').toEqual([401, 'invalid_credentials'])
    const inviteToken = tokenIn(await mailOf(app, 'invitation-existing'))
    const entered = await app.call(login, { body: { email: orgAdmin.email, password, inviteToken } })
    expect(entered.status).toBe(200)
    const me = await app.call(usersMe, {}, { token: entered.body.tokens?.accessToken })
    expect(me.body).toMatchObject({ id: orgAdmin.id, scope: 'organization', orgId: org.id })
    expect((await enter()).status).toBe(200)
  })

  test('of an organization is not taken for one of the company when its selector is invalid', async () => {
    await using scene = await inviteScene()
    const { app, admin, org } = scene
    const { id } = await member(app, { email: 'both@x.test', scope: 'partner', partnerId: admin.partnerId })
    const headers = { authorization: `Bearer ${admin.token}` }
    for (const query of [
      'ownerScope=Organization',
      'ownerScope=organization&ownerScope=organization',
      'ownerScope=all',
    ]) {
      const url = `/api/v1/users/${id}?orgId=${org.id}&${query}`
      expect((await app.inject({ method: 'DELETE', url, headers })).statusCode, query).toBe(400)
    }
    expect(auditOf(app, 'user.remove')).toEqual([])
  })

  test('answers 404 for a foreign user, or for one of an organization that is not named', async () => {
    await using scene = await inviteScene()
    const { app, admin, org, other, orgAdmin, roleOf } = scene
    const roleId = roleOf('Partner Viewer')
    for (const [id, query] of [
      [other.admin.id, {}],
      [orgAdmin.id, {}],
      [orgAdmin.id, { orgId: org.id }],
      [admin.userId, of(org.id)],
    ] as const) {
      expect(await remove(app, admin.token, id, query)).toEqual([404, 'user_not_found'])
      if (id !== admin.userId)
        expect(await assign(app, admin.token, id, { roleId }, query)).toEqual([404, 'user_not_found'])
    }
  })
})

describe('the last full administrator', () => {
  test('cannot be removed, demoted or confined', async () => {
    await using scene = await inviteScene()
    const { app, admin, org, roleOf } = scene
    const [full, technician] = [roleOf('Partner Admin'), roleOf('Partner Technician')]
    const { partnerId } = admin
    const two = await person(app, { email: 'two@x.test', scope: 'partner', partnerId })
    const hurting = [
      { roleId: technician },
      { roleId: full, orgAccess: 'none' as const },
      { roleId: full, orgAccess: 'selected' as const, orgIds: [org.id] },
    ]
    const operator = await person(app, { email: 'root@x.test', scope: 'system' })
    const last = [409, 'last_admin']
    const query = { partnerId }
    const reaching = (org_access: 'none' | 'all') =>
      app.db.run(q.updateTable('partner_users').set({ org_access }).where('user_id', '=', two.id))
    // Holds every permission there is, and is still no full administrator.
    reaching('none')
    expect(await remove(app, operator.token, admin.userId, query)).toEqual(last)
    reaching('all')
    app.db.run(q.updateTable('users').set({ status: 'disabled' }).where('id', '=', two.id))
    for (const body of hurting) expect(await assign(app, operator.token, admin.userId, body, query)).toEqual(last)
    expect(await remove(app, operator.token, admin.userId, query)).toEqual(last)
    expect(await remove(app, admin.token, admin.userId), 'nor do they leave').toEqual(last)
    const same = { roleId: full, orgAccess: 'all' as const }
    expect(await assign(app, operator.token, admin.userId, same, query), 'what changes nothing is fine').toEqual(done)

    app.db.run(q.updateTable('users').set({ status: 'active' }).where('id', '=', two.id))
    app.db.run(q.updateTable('users').set({ is_platform_admin: 0 }).where('id', '=', admin.userId))
    const token = await sessionOf(app, two.id)
    for (const body of hurting) expect(await assign(app, token, admin.userId, body)).toEqual(done)
    expect(await remove(app, token, admin.userId)).toEqual(done)
    expect(await remove(app, token, two.id)).toEqual(last)
  })

  test('of two who remove each other at once, one remains', async () => {
    await using scene = await inviteScene()
    const { app, admin } = scene
    const two = await person(app, { email: 'two@x.test', scope: 'partner', partnerId: admin.partnerId })
    makePlatformAdmins(app, two.id)
    const answers = await Promise.all([remove(app, admin.token, two.id), remove(app, two.token, admin.userId)])
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1)
  })

  test('when two remove each other at once, the slower call answers 401, even if others remain', async () => {
    await using scene = await inviteScene()
    const { app, admin } = scene
    const two = await person(app, { email: 'two@x.test', scope: 'partner', partnerId: admin.partnerId })
    const three = await person(app, { email: 'three@x.test', scope: 'partner', partnerId: admin.partnerId })
    for (const { token } of [two, three]) expect(await isIn(app, token)).toBe(true)
    const answers = await Promise.all([remove(app, three.token, two.id), remove(app, two.token, three.id)])
    expect(answers).toEqual([done, [401, 'invalid_token']])
  })
})

describe('changing an account as an operator', () => {
  const patch = async (app: TestApp, token: string, id: string, body: object) =>
    app.call(updateUser, { params: { id }, body: body as InputOf<typeof updateUser>['body'] }, { token })

  test('is refused to every tenant, whatever the change', async () => {
    await using scene = await inviteScene()
    const { app, admin, orgAdmin } = scene
    const { token } = await person(app, {
      email: 'v@x.test',
      scope: 'partner',
      partnerId: admin.partnerId,
      role: 'Partner Viewer',
    })
    for (const caller of [admin.token, orgAdmin.token, token])
      for (const body of [{}, { status: 'nonsense' }, { name: 'X' }, { nonsense: 1 }])
        expect(codes(await patch(app, caller, admin.userId, body))).toEqual([403, 'insufficient_permissions'])
  })

  test('to another status ends every session, and the event has both statuses', async () => {
    await using scene = await inviteScene()
    const { app, admin, orgAdmin } = scene
    const { token } = await person(app, { email: 'root@x.test', scope: 'system' })
    const { id, email } = orgAdmin
    const epochOf = () => app.db.first(q.selectFrom('users').select('auth_epoch').where('id', '=', id))?.auth_epoch ?? 0
    const epoch = epochOf()
    const disabled = await patch(app, token, id, { status: 'disabled', disabledReason: ' Left. ' })
    expect(epochOf()).toBe(epoch + 1)
    expect(disabled.body).toEqual({ id, email, name: 'Olaf', status: 'disabled', disabledReason: 'Left.' })
    expect(await isIn(app, orgAdmin.token)).toBe(false)
    const sessions = app.db.all(q.selectFrom('sessions').select('revoked_reason').where('user_id', '=', id))
    expect(sessions, 'nor is one left in the list of their sessions').toEqual([{ revoked_reason: 'status-changed' }])
    const [event] = auditOf(app, 'user.update')
    expect(event).toMatchObject({ resource_id: id, partner_id: admin.partnerId })
    expect(event?.details).toEqual({
      changedFields: ['status', 'disabledReason'],
      before: { status: 'active', disabledReason: null },
      after: { status: 'disabled', disabledReason: 'Left.' },
      previousStatus: 'active',
      newStatus: 'disabled',
    })
    expect((await patch(app, token, id, { name: ' Olaf II ' })).body).toMatchObject({
      name: 'Olaf II',
      status: 'disabled',
    })
    expect((await patch(app, token, id, { disabledReason: null })).body.disabledReason).toBe(null)
    await patch(app, token, id, { disabledReason: 'Again' })
    expect((await patch(app, token, id, { status: 'active' })).body).toMatchObject({
      status: 'active',
      disabledReason: null,
    })
    expect(await isIn(app, orgAdmin.token), 'what has ended does not come back').toBe(false)
    expect((await app.call(login, { body: { email, password } })).status).toBe(200)
    for (const [body, code] of [
      [{}, 'no_updates'],
      [{ nonsense: 1 }, 'validation_failed'],
      [{ disabledReason: 'x' }, 'validation_failed'],
      [{ disabledReason: 'x'.repeat(501), status: 'disabled' }, 'validation_failed'],
    ] as const)
      expect(codes(await patch(app, token, id, body))).toEqual([400, code])
    expect(codes(await patch(app, token, randomUUIDv7(), { name: 'X' }))).toEqual([404, 'user_not_found'])
  })

  test('is refused for the last active platform admin', async () => {
    await using scene = await inviteScene()
    const { app, admin } = scene
    const { id, token } = await person(app, { email: 'root@x.test', scope: 'system' })
    expect((await patch(app, token, admin.userId, { status: 'disabled' })).status).toBe(200)
    for (const status of ['disabled', 'invited'])
      expect(codes(await patch(app, token, id, { status }))).toEqual([409, 'last_admin'])
    expect(await isIn(app, token)).toBe(true)
  })
})

test('factors are reset by a caller who manages every tenant the user belongs to', async () => {
  await using scene = await inviteScene()
  const { app, admin, org, other, eveThere, invite } = scene
  const { partnerId } = admin
  const two = await person(app, { email: 'two@x.test', scope: 'partner', partnerId })
  const chief = await person(app, { email: 'chief@x.test', scope: 'organization', orgId: org.id })
  const target = await person(app, { email: 't@x.test', scope: 'organization', orgId: org.id })
  for (const { token } of [two, chief, target]) await withFactor(app, token)
  const reset = async (token: string, query: InputOf<typeof resetUserMfa>['query'] = {}) =>
    codes(await app.call(resetUserMfa, { params: { id: target.id }, query }, { token }))
  await invite({ ...eveThere, email: target.email, orgId: other.org.id }, other.admin.token)
  await acceptAll(app, target.token)
  const refused = [403, 'user_of_other_tenant']
  expect(await reset(chief.token)).toEqual(refused)
  expect(await reset(two.token, of(org.id))).toEqual(refused)
  app.db.run(q.deleteFrom('organization_users').where('org_id', '=', other.org.id))
  const second = await organizationOf(app, admin.token, 'Second')
  await invite({ ...eveThere, email: target.email, orgId: second.id }, admin.token)
  await acceptAll(app, target.token)
  expect(await reset(chief.token), 'another organization is another tenant').toEqual(refused)
  const all = { ownerScope: 'all' } as const
  for (const { id } of [org, second]) setOrganization(app, id, { status: 'archived' })
  expect(await reset(two.token, all)).toEqual([409, 'ORG_LIFECYCLE_FROZEN'])
  setOrganization(app, second.id, { status: 'active' })
  expect(await reset(two.token, all), 'of one company both').toEqual(done)
})

test('a platform admin can be changed or removed by a company only through another platform admin', async () => {
  await using scene = await inviteScene()
  const { app, admin, roleOf } = scene
  const two = await person(app, { email: 'two@x.test', scope: 'partner', partnerId: admin.partnerId })
  const before = app.rowCounts()
  const roleId = roleOf('Partner Viewer')
  const refused = [403, 'platform_admin_required']
  expect(await assign(app, two.token, admin.userId, { roleId, orgAccess: 'none' })).toEqual(refused)
  expect(await remove(app, two.token, admin.userId)).toEqual(refused)
  expect(app.rowCounts()).toEqual(before)
  expect((await app.call(usersMe, {}, { token: admin.token })).body).toMatchObject({ scope: 'partner' })
  for (const action of ['user.role.assign', 'user.remove']) expect(auditOf(app, action)).toEqual([])

  const operator = await person(app, { email: 'root@x.test', scope: 'system' })
  const query = { partnerId: admin.partnerId }
  expect(await assign(app, operator.token, admin.userId, { roleId, orgAccess: 'all' }, query)).toEqual(done)
  const same = { roleId: roleOf('Partner Admin'), orgAccess: 'all' } as const
  expect(await assign(app, operator.token, admin.userId, same, query)).toEqual(done)
  expect(await remove(app, await sessionOf(app, admin.userId), admin.userId), 'they may leave').toEqual(done)
})

test('the factors of a user with more permissions than the caller cannot be reset', async () => {
  await using scene = await inviteScene()
  const { app, admin } = scene
  const { partnerId } = admin
  const helper = await person(app, { email: 'helper@x.test', scope: 'partner', partnerId })
  const chief = await person(app, { email: 'chief@x.test', scope: 'partner', partnerId })
  const colleague = await person(app, { email: 'colleague@x.test', scope: 'partner', partnerId })
  const helpDesk = customRole(app, { partner_id: partnerId }, ['users:read', 'users:write'])
  for (const { id } of [helper, colleague]) giveRole(app, id, helpDesk)
  for (const { token } of [chief, helper, colleague]) await withFactor(app, token)
  const reset = async (id: string) => codes(await app.call(resetUserMfa, { params: { id } }, { token: helper.token }))
  expect(await reset(chief.id)).toEqual([403, 'user_may_do_more'])
  expect(auditOf(app, 'user.mfa_reset')).toEqual([])
  expect((await app.call(authMe, {}, { token: chief.token })).body.user.mfaEnabled).toBe(true)
  expect(await reset(colleague.id)).toEqual(done)
})

test('a membership gives permissions only in its own tenant', async () => {
  await using scene = await inviteScene()
  const { app, org, other, orgAdmin, roleOf, invite } = scene
  const role = roleOf('Org Viewer', 'organization')
  await invite({ email: orgAdmin.email, roleId: role, orgId: other.org.id }, other.admin.token)
  await acceptAll(app, orgAdmin.token)
  const site = { orgId: other.org.id, name: 'Taken' }
  expect((await app.call(createSite, { body: site }, { token: orgAdmin.token })).status).toBe(403)
  expect((await app.call(createSite, { body: { ...site, orgId: org.id } }, { token: orgAdmin.token })).status).toBe(201)
})
