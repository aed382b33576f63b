import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { deleteBackupConfig } from '../../shared/api/backup-configs.ts'
import {
  deleteBackupProfile,
  listBackupProfiles,
  readBackupProfile,
  updateBackupProfile,
} from '../../shared/api/backup-profiles.ts'
import { contents, showFactor } from '../contract/stage.ts'
import { organizationOf, otherCompany, person } from '../helpers/factories.ts'
import { auditOf } from '../helpers/rows.ts'
import { statusAndError } from './group-kit.ts'
import { policyScene } from './policy-kit.ts'

/** What backups protect, and what policies refer to with their backup settings. */

const files = { file: { enabled: true, paths: ['/home', '/etc'], excludes: ['*.tmp'] } }

test('a profile is created, read, listed by name, changed and deleted', async () => {
  const { app, admin, org, createProfile } = await policyScene()
  const options = { token: admin.token }
  const { status, body: made } = await createProfile({
    name: 'Servers',
    selections: { ...files, mssql: { enabled: true } } as object,
  })
  expect([status, made]).toEqual([
    201,
    {
      id: made.id,
      orgId: org.id,
      partnerId: null,
      ownerScope: 'organization',
      name: 'Servers',
      description: null,
      selections: { ...files, database: { enabled: true, backupType: 'full', excludeDatabases: [] } },
      isActive: true,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    },
  ])
  const wide = (await createProfile({ name: 'Everyone', ownerScope: 'partner' })).body
  const listed = async () => (await app.call(listBackupProfiles, { query: { orgId: org.id } }, options)).body.data
  expect((await listed()).map(({ name }) => name)).toEqual(['Everyone', 'Servers'])
  expect(wide).toMatchObject({ orgId: null, partnerId: admin.partnerId, ownerScope: 'partner' })
  const params = { id: made.id }
  expect((await app.call(readBackupProfile, { params }, options)).body).toEqual(made)
  const change = (body: object) => app.call(updateBackupProfile, { params, body }, options)
  expect(statusAndError(await change({}))).toEqual([400, 'No updates provided'])
  expect((await change({ isActive: false, selections: { system_image: { enabled: true } } })).body).toMatchObject({
    isActive: false,
    selections: { system_image: { enabled: true, includeSystemState: true } },
  })
  expect((await listed()).map(({ isActive }) => isActive)).toEqual([true, false])
  expect((await app.call(deleteBackupProfile, { params }, options)).body).toEqual({ deleted: true })
  expect(statusAndError(await app.call(readBackupProfile, { params }, options))).toEqual([
    404,
    'Backup profile not found',
  ])
  const events = app.db.all(q.selectFrom('audit_logs').selectAll().where('resource_id', '=', made.id))
  expect(events.map(({ action, org_id }) => [action, org_id])).toEqual(
    ['create', 'update', 'delete'].map((what) => [`backup.profile.${what}`, org.id]),
  )
})

test.each<[string, object, string]>([
  ['nothing', {}, 'selections'],
  ['all of it switched off', { file: { ...files.file, enabled: false } }, 'selections'],
  ['files without a path', { file: { enabled: true, paths: [] } }, 'selections.file.paths'],
  ['a blank path', { file: { enabled: true, paths: [' '] } }, 'selections.file.paths.0'],
  ['a path that is not whole', { file: { enabled: true, paths: ['/srv', 'data/here'] } }, 'selections.file.paths.1'],
  [
    '65 paths',
    { file: { enabled: true, paths: Array.from({ length: 65 }, (_, n) => `/${n}`) } },
    'selections.file.paths',
  ],
  ['an open bracket', { file: { ...files.file, excludes: ['a[b'] } }, 'selections.file.excludes.0'],
  ['a long pattern', { file: { ...files.file, excludes: ['a'.repeat(513)] } }, 'selections.file.excludes.0'],
  ['a type of nobody', { database: { enabled: true, backupType: 'x' } }, 'selections.database.backupType'],
])('a profile that protects %s is refused', async (_, selections, field) => {
  const { app, createProfile } = await policyScene()
  const { status, body } = await createProfile({ selections })
  expect([status, Object.keys(body.details?.fieldErrors ?? {})]).toEqual([400, [field]])
  expect(app.rowCounts().backup_profiles).toBe(0)
})

test('a profile that a policy refers to cannot be deleted, and says which; neither can a storage', async () => {
  const { app, admin, org, policy, unlink, profile, storage } = await policyScene()
  const options = { token: admin.token }
  const { id } = await profile()
  const { id: configId } = await storage()
  const nightly = await policy('Nightly', { destinationConfigId: configId }, undefined, { featurePolicyId: id })
  const { id: otherId } = await storage({ name: 'Other' })
  const settings = { backupMode: 'system_image', destinationConfigId: otherId }
  const former = await policy('Former', settings, undefined, { featurePolicyId: configId })
  const remove = () => app.call(deleteBackupProfile, { params: { id } }, options)
  const removeStorage = () =>
    app.call(deleteBackupConfig, { params: { id: configId }, query: { orgId: org.id } }, options)
  const before = await contents(app)
  expect(await remove()).toMatchObject({
    status: 409,
    body: {
      code: 'backup_profile_in_use',
      referencingPolicies: [{ id: nightly.id, name: 'Nightly' }],
      policies: 'Nightly',
    },
  })
  expect(await removeStorage()).toMatchObject({
    status: 409,
    body: { code: 'backup_config_in_policies', policies: 'Former, Nightly' },
  })
  expect(await contents(app)).toEqual(before)
  await unlink(nightly.id, nightly.linkId)
  expect((await remove()).status).toBe(200)
  expect((await removeStorage()).body).toMatchObject({ policies: 'Former' })
  await unlink(former.id, former.linkId)
  expect((await removeStorage()).status).toBe(200)
})

test('a policy refers to profiles and storage of its owner only', async () => {
  const { app, admin, org, create, link, relink, profile, createProfile, storage } = await policyScene()
  const sibling = await organizationOf(app, admin.token, 'Sibling')
  const foreign = await otherCompany(app)
  const [own, wide, siblings] = [
    await profile(),
    await profile({ ownerScope: 'partner' }),
    await profile({ orgId: sibling.id }),
  ]
  const theirs = await storage({}, sibling.id)
  const mine = await storage()
  const { id } = (await create()).body
  const { id: companys } = (await create({ ownerScope: 'partner' })).body
  const wrong = async (policyId: string, settings: object, basis: string | undefined, field: string) => {
    const { status, body } = await link(policyId, settings, basis)
    expect([status, Object.keys(body.details?.fieldErrors ?? {})]).toEqual([400, [field]])
  }
  const before = await contents(app)
  await wrong(id, {}, siblings.id, 'featurePolicyId')
  await wrong(id, {}, theirs.id, 'featurePolicyId')
  await wrong(id, {}, foreign.org.id, 'featurePolicyId')
  await wrong(id, { destinationConfigId: theirs.id }, own.id, 'inlineSettings.destinationConfigId')
  await wrong(companys, {}, own.id, 'featurePolicyId')
  await wrong(companys, { backupMode: 'system_image' }, mine.id, 'featurePolicyId')
  await wrong(companys, { destinationConfigId: mine.id }, wide.id, 'inlineSettings.destinationConfigId')
  expect(await contents(app)).toEqual(before)

  // Somebody who sees everything cannot mix companies either.
  const operator = await person(app, { email: 'operator@x.test', scope: 'system' })
  for (const { id: who } of [operator, foreign.admin]) showFactor(app, who)
  const wideTheirs = (await createProfile({ ownerScope: 'partner' }, foreign.admin.token)).body
  expect((await link(id, {}, wideTheirs.id, operator.token)).status).toBe(400)
  expect((await link(companys, {}, wideTheirs.id, operator.token)).status).toBe(400)

  // Somebody of the organization does not see what belongs to the company.
  const member = await person(app, { email: 'm@x.test', scope: 'organization', orgId: org.id })
  showFactor(app, member.id)
  expect((await link(id, {}, wide.id, member.token)).status).toBe(400)
  expect((await app.call(listBackupProfiles, {}, { token: member.token })).body.data).toEqual([own])
  expect((await app.call(readBackupProfile, { params: { id: wide.id } }, { token: member.token })).status).toBe(404)

  expect((await link(companys, {}, wide.id)).status).toBe(201)
  const { status, body } = await link(id, { backupMode: 'nonsense', destinationConfigId: mine.id }, wide.id)
  // The profile says what is protected, so that nothing else is looked at.
  expect([status, body.featurePolicyId, body.inlineSettings]).toEqual([201, wide.id, { destinationConfigId: mine.id }])
  const rest = { inlineSettings: { bandwidthLimitMbps: 10 } }
  expect((await relink(id, body.id, rest)).body).toMatchObject({ featurePolicyId: wide.id, ...rest })
})

test('profiles of the company are changed by people with access to all organizations, and of another one not seen', async () => {
  const { app, admin, org, profile, createProfile } = await policyScene()
  const wide = await profile({ ownerScope: 'partner' })
  const own = await profile()
  const partner = { scope: 'partner', partnerId: admin.partnerId } as const
  const some = await person(app, { email: 'some@x.test', ...partner, orgAccess: 'selected', orgIds: [org.id] })
  const confined = await person(app, { email: 'site@x.test', scope: 'organization', orgId: org.id, siteIds: [] })
  const foreign = await otherCompany(app)
  for (const { id } of [some, confined, foreign.admin]) showFactor(app, id)
  const before = await contents(app)
  const change = (id: string, token: string) =>
    app.call(updateBackupProfile, { params: { id }, body: { name: 'Mine' } }, { token })
  expect((await change(wide.id, some.token)).status).toBe(403)
  expect((await createProfile({ ownerScope: 'partner' }, some.token)).status).toBe(403)
  expect((await change(own.id, confined.token)).status).toBe(403)
  expect((await app.call(readBackupProfile, { params: { id: own.id } }, { token: confined.token })).status).toBe(404)
  for (const id of [wide.id, own.id]) expect((await change(id, foreign.admin.token)).status).toBe(404)
  const list = (orgId: string, token: string) => app.call(listBackupProfiles, { query: { orgId } }, { token })
  expect(statusAndError(await list(org.id, foreign.admin.token))).toEqual([400, 'orgId is required for this scope'])
  expect((await list(foreign.org.id, foreign.admin.token)).body.data).toEqual([])
  expect(await contents(app)).toEqual(before)
  expect((await list(org.id, some.token)).body.data.map(({ id }) => id).toSorted()).toEqual(
    [wide.id, own.id].toSorted(),
  )
  expect(auditOf(app, 'backup.profile.update')).toEqual([])
})
