import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import {
  assignmentsOfTarget,
  assignPolicy,
  createPolicy,
  deletePolicy,
  listAssignments,
  listPolicies,
  listPolicyLinks,
  readPolicy,
  unassignPolicy,
  updatePolicy,
} from '../../shared/api/configuration-policies.ts'
import { deleteDeviceGroup } from '../../shared/api/device-groups.ts'
import { moveDeviceToOrganization } from '../../shared/api/devices.ts'
import { deleteSite } from '../../shared/api/sites.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { contents, showFactor } from '../contract/stage.ts'
import { holdings, organizationOf, otherCompany, person, siteOf } from '../helpers/factories.ts'
import { auditOf, setDevice, setOrganization } from '../helpers/rows.ts'
import { confinedTo, groupOf, statusAndError } from './group-kit.ts'
import { mergeScene } from './merge-kit.ts'
import { home, image, policyScene } from './policy-kit.ts'

/** Policies, what they say and where they are assigned; which of them apply to a device, and why. */

test('a policy is created bare, changed, listed and deleted with all that belongs to it', async () => {
  const { app, admin, org, create, link, assign } = await policyScene()
  const options = { token: admin.token }
  const { status, body: made } = await create({ name: 'Servers', description: 'All of them' })
  expect([status, made]).toEqual([
    201,
    {
      id: made.id,
      orgId: org.id,
      partnerId: null,
      name: 'Servers',
      description: 'All of them',
      status: 'active',
      createdBy: admin.userId,
      createdAt: expect.any(String),
      updatedAt: made.createdAt,
      orgName: org.name,
      featureLinks: [],
    },
  ])
  const params = { id: made.id }
  expect((await app.call(listAssignments, { params }, options)).body).toEqual({ data: [] })

  const change = (body: object) => app.call(updatePolicy, { params, body }, options)
  expect(statusAndError(await change({}))).toEqual([400, 'No updates provided'])
  expect((await change({ name: 'All servers', status: 'inactive' })).body).toMatchObject({ status: 'inactive' })
  const { body: added } = await link(made.id, image)
  expect((await app.call(readPolicy, { params }, options)).body.featureLinks).toEqual([added])
  expect((await app.call(listPolicyLinks, { params }, options)).body.data).toEqual([added])
  await assign(made.id, { level: 'organization', targetId: org.id })

  const { body: other } = await create({ name: 'Other' })
  const list = async (query: object = {}) => (await app.call(listPolicies, { query }, options)).body
  expect((await list()).data.map(({ id }) => id)).toEqual([other.id, made.id])
  expect((await list()).pagination).toEqual({ page: 1, limit: 25, total: 2 })
  expect((await list({ status: 'inactive' })).data.map(({ id }) => id)).toEqual([made.id])
  expect((await list({ search: 'SERV' })).data.map(({ id }) => id)).toEqual([made.id])
  expect((await list({ page: '2', limit: '1', orgId: org.id })).data.map(({ id }) => id)).toEqual([made.id])

  expect((await app.call(deletePolicy, { params }, options)).body).toEqual({ success: true })
  expect(statusAndError(await app.call(readPolicy, { params }, options))).toEqual([
    404,
    'Configuration policy not found',
  ])
  expect(app.rowCounts()).toMatchObject({
    configuration_policies: 1,
    config_policy_feature_links: 0,
    config_policy_assignments: 0,
    backup_link_references: 0,
  })
  const events = app.db.all(q.selectFrom('audit_logs').selectAll().where('resource_id', '=', made.id))
  expect(events.map(({ action, org_id }) => [action, org_id])).toEqual(
    ['create', 'update', 'feature_link.add', 'assign', 'delete'].map((what) => [`config_policy.${what}`, org.id]),
  )
})

test('a policy of the company takes access to all organizations; without an organization it must be clear which is meant', async () => {
  const { app, admin, create, org } = await policyScene()
  const wide = await create({ ownerScope: 'partner' })
  expect(wide.body).toMatchObject({ orgId: null, partnerId: admin.partnerId, orgName: null })
  const partner = { scope: 'partner', partnerId: admin.partnerId } as const
  const some = await person(app, { email: 'some@x.test', ...partner, orgAccess: 'selected', orgIds: [org.id] })
  const member = await person(app, { email: 'member@x.test', scope: 'organization', orgId: org.id })
  for (const { id } of [some, member]) showFactor(app, id)
  const before = await contents(app)
  for (const { token } of [some, member]) {
    expect((await create({ ownerScope: 'partner' }, token)).status).toBe(403)
    const params = { id: wide.body.id }
    const answer = await app.call(updatePolicy, { params, body: { name: 'Mine' } }, { token })
    expect(answer.status).toBe(token === some.token ? 403 : 404)
    const seen = (await app.call(listPolicies, {}, { token })).body.data
    expect(seen.map(({ id }) => id)).toEqual(token === some.token ? [wide.body.id] : [])
  }
  expect(await contents(app)).toEqual(before)
  await organizationOf(app, admin.token, 'Second')
  const unclear = await app.call(createPolicy, { body: { name: 'P' } }, { token: admin.token })
  expect(statusAndError(unclear)).toEqual([400, 'orgId is required when partner has multiple organizations'])
})

test('settings are kept in the form of the product, once for each feature, and what is wrong is named', async () => {
  const { app, create, link, relink, unlink } = await policyScene()
  const { id } = (await create()).body
  const refused = async (settings: object | null, field: string) => {
    const { status, body } = await link(id, settings)
    expect([status, Object.keys(body.details?.fieldErrors ?? {})], JSON.stringify(settings)).toEqual([400, [field]])
  }
  const before = await contents(app)
  await refused(null, 'inlineSettings')
  await refused({}, 'inlineSettings.targets')
  await refused({ backupMode: 'tape' }, 'inlineSettings.backupMode')
  await refused({ targets: { paths: [] } }, 'inlineSettings.targets.paths')
  await refused({ targets: { paths: ['/a', 'data/here'] } }, 'inlineSettings.targets.paths.1')
  await refused({ targets: { paths: ['~/Documents'] } }, 'inlineSettings.targets.paths.0')
  await refused({ targets: { paths: ['/a'], excludes: ['[a'] } }, 'inlineSettings.targets.excludes.0')
  await refused({ ...home, schedule: { frequency: 'daily', time: '24:00' } }, 'inlineSettings.schedule.time')
  await refused(
    { ...home, schedule: { frequency: 'monthly', time: '02:00', dayOfMonth: 29 } },
    'inlineSettings.schedule.dayOfMonth',
  )
  await refused({ ...home, retention: { retentionDays: 0 } }, 'inlineSettings.retention.retentionDays')
  await refused({ ...home, retention: { legalHold: true } }, 'inlineSettings.retention.legalHoldReason')
  await refused({ ...home, retention: { immutabilityMode: 'provider' } }, 'inlineSettings.retention.immutableDays')
  await refused({ ...home, bandwidthLimitMbps: 10_001 }, 'inlineSettings.bandwidthLimitMbps')
  await refused({ ...home, destinationConfigId: randomUUID() }, 'inlineSettings.destinationConfigId')
  expect(await contents(app)).toEqual(before)

  const added = await link(id, { targets: { paths: ['/a'], excludes: ['*.tmp', ' '] }, color: 'blue' })
  expect(added).toMatchObject({
    status: 201,
    body: { inlineSettings: { backupMode: 'file', targets: { paths: ['/a'], excludes: ['*.tmp'] } } },
  })
  expect(added.body.inlineSettings).not.toHaveProperty('color')
  expect(statusAndError(await link(id, home))).toEqual([409, 'This policy already has settings for this feature'])
  const changed = await relink(id, added.body.id, { inlineSettings: { backupMode: 'mssql' } })
  expect(changed.body.inlineSettings).toEqual({
    backupMode: 'database',
    targets: { backupType: 'full', excludeDatabases: [] },
  })
  expect(auditOf(app, 'config_policy.feature_link.update').map(({ details }) => details)).toEqual([
    {
      featureType: 'backup',
      changedFields: expect.arrayContaining(['backupMode', 'targets.paths', 'targets.backupType']),
      before: expect.objectContaining({ backupMode: 'file', 'targets.paths': ['/a'] }),
      after: expect.objectContaining({ backupMode: 'database', 'targets.paths': null }),
    },
  ])
  expect((await relink(id, added.body.id, { inlineSettings: null })).status).toBe(400)
  expect((await unlink(id, added.body.id)).body).toEqual({ success: true })
  expect((await unlink(id, added.body.id)).status).toBe(404)
  expect((await link(id, { backupMode: 'hyperv' })).body.inlineSettings).toMatchObject({ backupMode: 'vmhost' })
})

test('a feature that nobody knows is a 400 that names the field', async () => {
  const { app, admin, create } = await policyScene()
  const { id } = (await create()).body
  const { statusCode, body } = await app.inject({
    method: 'POST',
    url: `/api/v1/configuration-policies/${id}/features`,
    headers: { authorization: `Bearer ${admin.token}` },
    payload: { featureType: 'antivirus', inlineSettings: {} },
  })
  expect([statusCode, JSON.parse(body).details.fieldErrors]).toEqual([400, { featureType: [expect.any(String)] }])
})

test('a policy is assigned to what belongs to its owner, once to each target', async () => {
  const scene = await policyScene()
  const { app, admin, org, site, one, create, assign } = scene
  const sibling = await holdings(app, admin.token, 'Sibling', 'sib-1')
  const foreign = await otherCompany(app)
  const group = await groupOf(scene)
  const { id } = (await create()).body
  const { id: wide } = (await create({ name: 'Wide', ownerScope: 'partner' })).body
  const denied = [403, 'The target does not belong to the owner of this policy']

  const before = await contents(app)
  expect(statusAndError(await assign(id, { level: 'partner' }))).toEqual([
    400,
    'Only a partner-wide policy can be assigned at level partner',
  ])
  for (const [policy, target] of [
    [id, { level: 'organization', targetId: sibling.org.id }],
    [id, { level: 'site', targetId: sibling.site.id }],
    [id, { level: 'device', targetId: sibling.device.deviceId }],
    [id, { level: 'device', targetId: randomUUID() }],
    [wide, { level: 'partner', targetId: foreign.partnerId }],
    [wide, { level: 'organization', targetId: foreign.org.id }],
    [wide, { level: 'device', targetId: foreign.device.deviceId }],
  ] as const)
    expect(statusAndError(await assign(policy, target)), JSON.stringify(target)).toEqual(denied)
  expect((await assign(id, { level: 'site' })).status).toBe(400)
  expect(await contents(app)).toEqual(before)

  const made = await assign(id, {
    level: 'site',
    targetId: site.id,
    priority: 5,
    roleFilter: ['server'],
    osFilter: [],
  })
  expect(made.body).toEqual({
    id: made.body.id,
    configPolicyId: id,
    policyName: 'Policy',
    level: 'site',
    targetId: site.id,
    targetName: site.name,
    priority: 5,
    roleFilter: ['server'],
    osFilter: null,
    assignedBy: admin.userId,
    createdAt: expect.any(String),
  })
  expect(statusAndError(await assign(id, { level: 'site', targetId: site.id }))).toEqual([
    409,
    'This policy is already assigned to this target at this level',
  ])
  await assign(id, { level: 'device', targetId: one.deviceId })
  await assign(id, { level: 'device_group', targetId: group.id })
  await assign(id, { level: 'organization', targetId: org.id })
  expect((await assign(wide, { level: 'partner' })).body).toMatchObject({ targetId: admin.partnerId, targetName: null })
  await assign(wide, { level: 'organization', targetId: sibling.org.id })
  const options = { token: admin.token }
  const listed = (await app.call(listAssignments, { params: { id } }, options)).body.data
  const named = listed.map(({ level, targetName }) => `${level} ${targetName}`)
  expect(named.sort()).toEqual(['device pc-1', 'device_group Group', `organization ${org.name}`, `site ${site.name}`])
  const ofDevice = { query: { level: 'device', targetId: one.deviceId } } as const
  expect((await app.call(assignmentsOfTarget, ofDevice, options)).body.data).toEqual(
    listed.filter(({ level }) => level === 'device'),
  )

  const params = { id, assignmentId: made.body.id }
  expect((await app.call(unassignPolicy, { params }, options)).body).toEqual({ success: true })
  expect(statusAndError(await app.call(unassignPolicy, { params }, options))).toEqual([404, 'Assignment not found'])
  expect(auditOf(app, 'config_policy.unassign').map(({ details }) => details)).toEqual([
    { level: 'site', targetId: site.id, targetName: site.name, priority: 5, roleFilter: ['server'] },
  ])
})

test('somebody with selected organizations sees of a policy of the company what is assigned in these', async () => {
  const { app, admin, org, create, assign } = await policyScene()
  const sibling = await organizationOf(app, admin.token, 'Sibling')
  const { id } = (await create({ ownerScope: 'partner' })).body
  for (const targetId of [org.id, sibling.id]) await assign(id, { level: 'organization', targetId })
  await assign(id, { level: 'partner' })
  const who = { email: 's@x.test', scope: 'partner', partnerId: admin.partnerId } as const
  const { token } = await person(app, { ...who, orgAccess: 'selected', orgIds: [sibling.id] })
  const { data } = (await app.call(listAssignments, { params: { id } }, { token })).body
  expect(data.map(({ level, targetId }) => [level, targetId])).toEqual([
    ['organization', sibling.id],
    ['partner', admin.partnerId],
  ])
})

test('the closest policy applies to a device, and the chain says what became of every other', async () => {
  const scene = await policyScene()
  const { app, admin, org, site, branch, one, two, far, policy, effective } = scene
  const group = await groupOf(scene, { deviceIds: [one.deviceId] })
  setDevice(app, one.deviceId, { device_role: 'server' })
  const partnerWide = await policy('Company', image, { level: 'partner' }, { ownerScope: 'partner' })
  const everywhere = await policy('Organization', home, { level: 'organization', targetId: org.id })
  const late = await policy('Site, late', home, { level: 'site', targetId: site.id, priority: 5 })
  const early = await policy('Site, first', home, { level: 'site', targetId: site.id, priority: 1 })
  const grouped = await policy('Group', image, { level: 'device_group', targetId: group.id })
  const windows = await policy('Windows', home, { level: 'device', targetId: one.deviceId, osFilter: ['windows'] })
  const off = await policy('Off', home, { level: 'device', targetId: one.deviceId }, { status: 'inactive' })
  const desks = await policy('Desks', home, { level: 'device', targetId: one.deviceId, roleFilter: ['workstation'] })
  await policy('Elsewhere', home, { level: 'site', targetId: branch.id })

  const { status, body } = await effective(one.deviceId)
  expect(status).toBe(200)
  expect(body.features).toEqual({
    backup: {
      featureType: 'backup',
      featurePolicyId: null,
      inlineSettings: { backupMode: 'system_image', targets: { includeSystemState: true } },
      sourceLevel: 'device_group',
      sourceTargetId: group.id,
      sourcePolicyId: grouped.id,
      sourcePolicyName: 'Group',
      sourcePriority: 0,
    },
  })
  const outcomes = body.inheritanceChain.map(({ policyId, outcome, targetName }) => [policyId, outcome, targetName])
  expect(outcomes).toEqual([
    [windows.id, 'os_mismatch', 'pc-1'],
    [off.id, 'policy_inactive', 'pc-1'],
    [desks.id, 'role_mismatch', 'pc-1'],
    [grouped.id, 'won', 'Group'],
    [early.id, 'overridden', site.name],
    [late.id, 'overridden', site.name],
    [everywhere.id, 'overridden', org.name],
    [partnerWide.id, 'overridden', null],
  ])
  expect(body.inheritanceChain[3]).toEqual({
    assignmentId: grouped.assignmentId,
    policyId: grouped.id,
    policyName: 'Group',
    policyStatus: 'active',
    level: 'device_group',
    targetId: group.id,
    targetName: 'Group',
    priority: 0,
    roleFilter: null,
    osFilter: null,
    assignedAt: expect.any(String),
    featureTypes: ['backup'],
    outcome: 'won',
  })
  const winnerOf = async (id: string) => (await effective(id)).body.features.backup?.sourcePolicyName
  expect([await winnerOf(two.deviceId), await winnerOf(far.deviceId)]).toEqual(['Site, first', 'Elsewhere'])
  await app.call(deletePolicy, { params: { id: early.id } }, { token: admin.token })
  expect(await winnerOf(two.deviceId)).toBe('Site, late')
})

test('a company-wide assignment reaches organizations created afterwards, and creating a policy applies it to nothing', async () => {
  const { app, admin, create, policy, effective } = await policyScene()
  await policy('Wide', image, { level: 'partner' }, { ownerScope: 'partner' })
  await create({ name: 'Unassigned', ownerScope: 'partner' })
  const { device } = await holdings(app, admin.token, 'New', 'new-1')
  const { body } = await effective(device.deviceId)
  expect(body.inheritanceChain.map(({ policyName, outcome }) => [policyName, outcome])).toEqual([['Wide', 'won']])
})

test('people confined to a site or group see why for their own devices, and have no part in policies', async () => {
  const scene = await policyScene()
  const { app, org, site, one, far, policy, create, link, assign, effective } = scene
  const group = await groupOf(scene, { deviceIds: [one.deviceId] })
  const { id } = await policy('Site', home, { level: 'site', targetId: site.id })
  await policy('Group', home, { level: 'device_group', targetId: group.id })
  const atSite = await confinedTo(scene, [group.id], [site.id])
  const bySiteOnly = await person(app, { email: 'b@x.test', scope: 'organization', orgId: org.id, siteIds: [site.id] })
  showFactor(app, bySiteOnly.id)
  const before = await contents(app)
  for (const { token } of [atSite, bySiteOnly]) {
    expect((await app.call(listPolicies, {}, { token })).body.data).toEqual([])
    expect((await app.call(readPolicy, { params: { id } }, { token })).status).toBe(404)
    const query = { level: 'site', targetId: site.id } as const
    expect((await app.call(assignmentsOfTarget, { query }, { token })).body.data).toEqual([])
    expect((await create({}, token)).status).toBe(403)
    expect((await link(id, image, undefined, token)).status).toBe(403)
    expect((await assign(id, { level: 'device', targetId: one.deviceId }, token)).status).toBe(403)
    expect(statusAndError(await effective(far.deviceId, token))).toEqual([404, 'Device not found or access denied'])
  }
  // A group of no site is nothing that somebody of a site sees.
  const chain = (await effective(one.deviceId, bySiteOnly.token)).body.inheritanceChain
  expect(chain.map(({ level, targetName }) => [level, targetName])).toEqual([
    ['device_group', null],
    ['site', site.name],
  ])
  expect(await contents(app)).toEqual(before)
})

test('policies of another company do not exist, and those of a suspended organization are only read', async () => {
  const { app, admin, org, one, policy, assign, effective } = await policyScene()
  const { id } = await policy('Ours', home, { level: 'organization', targetId: org.id })
  const foreign = await otherCompany(app)
  showFactor(app, foreign.admin.id)
  const { token } = foreign.admin
  expect((await app.call(listPolicies, {}, { token })).body.data).toEqual([])
  expect((await app.call(listPolicies, { query: { orgId: org.id } }, { token })).status).toBe(403)
  expect((await effective(one.deviceId, token)).status).toBe(404)
  expect((await assign(id, { level: 'device', targetId: foreign.device.deviceId }, token)).status).toBe(404)
  setOrganization(app, org.id, { status: 'suspended' })
  const options = { token: admin.token }
  expect((await app.call(readPolicy, { params: { id } }, options)).status).toBe(200)
  const changed = await app.call(updatePolicy, { params: { id }, body: { name: 'New' } }, options)
  expect([changed.status, changed.body.code]).toEqual([409, 'ORG_NOT_OPERABLE'])
})

test('an assignment goes with its target: a site, a group, a device; and with a device to another organization', async () => {
  const scene = await policyScene()
  const { app, admin, org, one, two, policy, assign, effective } = scene
  const options = { token: admin.token }
  const empty = await siteOf(app, admin.token, org.id, 'Empty')
  const group = await groupOf(scene)
  const { id } = await policy('Ours', home)
  const wide = await policy('Wide', image, undefined, { ownerScope: 'partner' })
  await assign(id, { level: 'site', targetId: empty.id })
  await assign(id, { level: 'device_group', targetId: group.id })
  for (const { deviceId } of [one, two]) {
    await assign(id, { level: 'device', targetId: deviceId })
    await assign(wide.id, { level: 'device', targetId: deviceId })
  }
  const targets = async () =>
    (await app.call(listAssignments, { params: { id } }, options)).body.data.map(({ level }) => level)
  await app.call(deleteSite, { params: { id: empty.id } }, options)
  await app.call(deleteDeviceGroup, { params: { id: group.id } }, options)
  expect(await targets()).toEqual(['device', 'device'])

  const hamburg = await holdings(app, admin.token, 'Hamburg', 'hh-1')
  const body = { orgId: hamburg.org.id, siteId: hamburg.site.id }
  const moved = await app.call(moveDeviceToOrganization, { params: { id: one.deviceId }, body }, options)
  expect(moved.status).toBe(200)
  expect(await targets()).toEqual(['device'])
  const chain = (await effective(one.deviceId)).body.inheritanceChain
  expect(chain.map(({ policyName, outcome }) => [policyName, outcome])).toEqual([['Wide', 'won']])
  expect((await effective(two.deviceId)).body.inheritanceChain).toHaveLength(2)
  const rows = app.db.all(q.selectFrom('config_policy_assignments').selectAll().where('device_id', '=', one.deviceId))
  expect(rows.map(({ config_policy_id, org_id }) => [config_policy_id, org_id])).toEqual([[wide.id, hamburg.org.id]])
  app.db.run(q.deleteFrom('devices').where('id', '=', two.deviceId))
  expect(await targets()).toEqual([])
})

test('a policy has at most 1000 assignments', async () => {
  const { app, one, far, policy, assign } = await policyScene()
  const { id } = await policy('Full', home, { level: 'device', targetId: one.deviceId })
  const row = app.db.one(q.selectFrom('config_policy_assignments').selectAll())
  const device = app.db.one(q.selectFrom('devices').selectAll().where('id', '=', one.deviceId))
  app.db.transaction(() => {
    for (let n = 1; n < 1000; n++) {
      const { seq: _, ...other } = device
      const deviceId = randomUUID()
      app.db.run(q.insertInto('devices').values({ ...other, id: deviceId, agent_id: deviceId, agent_token_hash: null }))
      const { target_id: __, ...assignment } = row
      app.db.run(
        q.insertInto('config_policy_assignments').values({ ...assignment, id: randomUUID(), device_id: deviceId }),
      )
    }
  })
  const { status, body } = await assign(id, { level: 'device', targetId: far.deviceId })
  expect([status, body.code, body.max]).toEqual([409, 'policy_assignment_limit', 1000])
})

test('policies of a merged organization move with their assignments; one of the company is assigned once', async () => {
  const { app, admin, loser, survivor, run } = await mergeScene()
  const options = { token: admin.token }
  const create = async (body: InputOf<typeof createPolicy>['body']) =>
    (await app.call(createPolicy, { body }, options)).body.id
  const assign = (id: string, level: 'organization' | 'site' | 'device', targetId: string) =>
    app.call(assignPolicy, { params: { id }, body: { level, targetId } }, options)
  const targets = async (id: string) =>
    (await app.call(listAssignments, { params: { id } }, options)).body.data.map(({ targetId }) => targetId)
  const moving = await create({ name: 'Moving', orgId: loser.org.id })
  const [inBoth, inLoser] = [
    await create({ name: 'In both', ownerScope: 'partner' }),
    await create({ name: 'In one', ownerScope: 'partner' }),
  ]
  await assign(moving, 'organization', loser.org.id)
  await assign(moving, 'site', loser.site.id)
  await assign(moving, 'device', loser.device.deviceId)
  for (const { org } of [loser, survivor]) await assign(inBoth, 'organization', org.id)
  await assign(inLoser, 'organization', loser.org.id)
  await run('completed')
  expect((await app.call(readPolicy, { params: { id: moving } }, options)).body.orgId).toBe(survivor.org.id)
  expect(await targets(moving)).toEqual([survivor.org.id, loser.site.id, loser.device.deviceId])
  expect([await targets(inBoth), await targets(inLoser)]).toEqual([[survivor.org.id], [survivor.org.id]])
  expect(app.db.check()).toEqual([])
})
