import { hash, randomUUID, randomUUIDv7 } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { toJson } from '../../server/lib/json.ts'
import { defaultLimits } from '../../server/limits.ts'
import type { DeviceActor } from '../../server/platform/actor.ts'
import { isoNow } from '../../server/platform/clock.ts'
import { openSecrets } from '../../server/platform/secrets.ts'
import { runScript } from '../../shared/api/commands.ts'
import { addPolicyLink, assignPolicy, createPolicy } from '../../shared/api/configuration-policies.ts'
import { createContact } from '../../shared/api/contacts.ts'
import { createDeviceGroup } from '../../shared/api/device-groups.ts'
import { createRole } from '../../shared/api/roles.ts'
import { addSsoDomain } from '../../shared/api/sso-domains.ts'
import { createSsoProvider } from '../../shared/api/sso-providers.ts'
import type { BackupSelection } from '../../shared/backup-plan.ts'
import type { Endpoint } from '../../shared/endpoint.ts'
import { allPermissions } from '../../shared/permissions.ts'
import { writer } from '../helpers/audit-writer.ts'
import {
  apiKeyOf,
  company,
  enrolledDevice,
  member,
  otherCompany,
  type Person,
  person,
  siteOf,
} from '../helpers/factories.ts'
import { openTasks } from '../helpers/tasks.ts'
import type { TestApp } from '../helpers/test-app.ts'
import { tinyPng } from '../helpers/upload.ts'
import { bodyOf, createsOther, type Ids, isAboveCompanies, queryOf, send } from './kit.ts'

/** What the walks find on the appliance, and what it holds before and after. */

/** For `testApp`: a walk calls everything more often than anybody may. */
export const withoutLimits = Object.fromEntries(
  Object.keys(defaultLimits).map((name) => [`HOMEPORT_LIMIT_${name.toUpperCase()}`, '0/60']),
)

/** Counting uses of a limit is the one thing a refused call may write; the other empties itself. */
const countersOnly = new Set(['rate_limits', 'device_group_due'])

/** What every table holds once all that was promised is delivered, as one hash each. */
export async function contents(app: TestApp): Promise<Record<string, string>> {
  await app.app.telemetry.flush()
  while (openTasks(app, 'mail.send')) await sleep(5)
  return Object.fromEntries(
    Object.keys(app.rowCounts())
      .filter((name) => !countersOnly.has(name))
      .map((name) => [name, hash('sha256', JSON.stringify(app.db.statement(`SELECT * FROM "${name}"`).all()))]),
  )
}

/**
 * Two companies on one appliance; each has an organization, a site, a device, a key, a command, and a colleague who
 * lost their factor. Both administrators, and the operator above them, hold a passkey and have just shown it, so that no
 * refusal is for want of one.
 */
export async function twoCompanies(app: TestApp) {
  const own = await company(app)
  const operator = await person(app, { email: 'operator@platform.test', scope: 'system' })
  showFactor(app, operator.id)
  const other = await otherCompany(app)
  const otherAdmin = { token: other.admin.token, userId: other.admin.id, partnerId: other.partnerId }
  return { own, other, operator, ids: await idsOf(app, own.admin, own), otherIds: await idsOf(app, otherAdmin, other) }
}

/** The one of us who may call. */
export const callerOf = (endpoint: Endpoint, { own, operator }: Pick<Stage, 'own' | 'operator'>): string =>
  isAboveCompanies(endpoint) ? operator.token : own.admin.token

type Stage = Awaited<ReturnType<typeof twoCompanies>>
type Admin = { token: string; userId: string; partnerId: string }
type Company = Pick<Awaited<ReturnType<typeof company>>, 'org' | 'site' | 'device' | 'key'>

/** One of everything the caller has, and may call about. */
export async function idsOf(app: TestApp, admin: Admin, { org, site, device, key }: Company): Promise<Ids> {
  const email = `colleague-${randomUUID()}@x.test`
  const colleague = await member(app, { email, scope: 'partner', partnerId: admin.partnerId, role: 'Partner Viewer' })
  app.db.run(q.updateTable('users').set({ mfa_enabled: 1, mfa_method: 'totp' }).where('id', '=', colleague.id))
  const passkey = passkeyOf(app, admin.userId)
  showFactor(app, admin.userId)
  for (const userId of [colleague.id, admin.userId]) pictureOf(app, userId)
  const ids = {
    org: org.id,
    site: site.id,
    bareSite: (await siteOf(app, admin.token, org.id, 'Bare')).id,
    contact: await contactOf(app, admin.token, org.id, site.id),
    device: device.deviceId,
    agent: device.agentId,
    key: key.id,
    apiKey: (await apiKeyOf(app, admin.token, org.id)).id,
    group: await groupOf(app, admin.token, org.id),
    olderGroup: await groupOf(app, admin.token, org.id),
    ...(await policyOf(app, admin.token, org.id, site.id)),
    provider: await providerOf(app, admin.token, { orgId: org.id }),
    ...(await staffProviderOf(app, admin)),
    domain: await domainOf(app, admin.token, org.id),
    command: await scriptOn(app, admin.token, device.deviceId),
    mergeRun: oldMergeRun(app, admin.partnerId, org.id),
    partner: admin.partnerId,
    bareCompany: bareCompany(app),
    user: colleague.id,
    invited: await invitedTo(app, admin.partnerId),
    role: await roleOf(app, admin.token),
    passkey,
    session: anotherSession(app, admin.userId),
    membership: membershipIn(app, admin.userId, org.id),
    invitation: invitationTo(app, admin.userId, bareCompany(app)),
    unwanted: invitationTo(app, admin.userId, bareCompany(app)),
    event: eventOf(app, admin, org.id, device.deviceId),
    mail: failedMail(app),
    task: failedMail(app),
  }
  const others = await othersOf(app, admin.token, ids as Ids)
  const backups = backupsOf(app, org.id, (await enrolledDevice(app, key.key, 'pc-saved')).deviceId)
  return { ...ids, ...others, ...backups } as Ids
}

/** One of every collection that has no sample of its own, created with the smallest body its contract takes. */
async function othersOf(app: TestApp, token: string, ids: Ids): Promise<Record<`/${string}`, string>> {
  const created: Record<`/${string}`, string> = {}
  for (const endpoint of createsOther) {
    const { status, body } = await send(app, endpoint, {
      body: bodyOf(endpoint, ids),
      query: queryOf(endpoint, ids),
      token,
    })
    if (status !== 201) throw new Error(`${endpoint.name}: ${status} ${JSON.stringify(body)}`)
    created[endpoint.path as `/${string}`] = body.data?.id ?? body.id
  }
  return created
}

/** A job that waits, of a kind that no other call asks for, and a snapshot. */
function backupsOf(app: TestApp, orgId: string, deviceId: string) {
  const [backupJob, snapshot, restore, configId] = [randomUUIDv7(), randomUUIDv7(), randomUUIDv7(), randomUUIDv7()]
  const now = isoNow(app.clock)
  const base = { org_id: orgId, device_id: deviceId, config_id: configId, created_at: now, updated_at: now }
  const sealed = openSecrets(app.dataDir).encrypt('{}', `backup_configs:provider_config:${configId}`)
  const config = { id: configId, org_id: orgId, name: 'Kept', provider: 'local', provider_config: sealed } as const
  app.db.run(q.insertInto('backup_configs').values({ ...config, created_at: now, updated_at: now }))
  const selection = toJson<BackupSelection>({
    mode: 'database',
    targets: { backupType: 'full', excludeDatabases: [] },
  })
  const job = { ...base, id: backupJob, type: 'manual', backup_mode: 'database', selection } as const
  app.db.run(q.insertInto('backup_jobs').values(job))
  app.db.run(
    q.insertInto('backup_snapshots').values({
      ...base,
      id: snapshot,
      snapshot_id: 'ab'.repeat(32),
      timestamp: now,
      size: 1,
      file_count: 1,
      label: 'Backup',
      backup_type: 'file',
      backup_mode: 'file',
    }),
  )
  app.db.run(
    q.insertInto('restore_jobs').values({
      ...{ id: restore, org_id: orgId, device_id: deviceId, snapshot_id: snapshot, snapshot_taken_at: now },
      ...{ restore_type: 'full', selected_paths: toJson([]), in_place: 0, existing_files: 'rename' },
      ...{ created_at: now, updated_at: now },
    }),
  )
  const unusualChange = randomUUIDv7()
  const none = { added: 0, removed: 0, replaced: 0, renamed: 0, newEnding: null, looked: null }
  const numbers = { filesBefore: 90, changed: 80, ...none }
  app.db.run(
    q.insertInto('backup_unusual_changes').values({
      ...{ id: unusualChange, org_id: orgId, device_id: deviceId, config_id: configId, backup_mode: 'file' },
      ...{ snapshot_id: snapshot, older_id: null, taken_at: now, sign: 'kinds', numbers: toJson(numbers) },
      ...{ state: 'open', found_at: now },
    }),
  )
  return { backupJob, snapshot, restore, unusualChange }
}

/** Of the caller's tenant, or of an organization of it. */
export async function roleOf(app: TestApp, token: string, orgId?: string): Promise<string> {
  const { status, body } = await app.call(createRole, { body: { name: 'Role', ...(orgId && { orgId }) } }, { token })
  if (status !== 201) throw new Error(`role: ${status} ${JSON.stringify(body)}`)
  return body.id
}

async function groupOf(app: TestApp, token: string, orgId: string): Promise<string> {
  const { body } = await app.call(createDeviceGroup, { body: { orgId, name: 'Group' } }, { token })
  return body.data.id
}

/** What it says of backups, and its assignment to the site, with it. */
async function policyOf(app: TestApp, token: string, orgId: string, siteId: string) {
  const { body: policy } = await app.call(createPolicy, { body: { orgId, name: 'Policy' } }, { token })
  const params = { id: policy.id }
  const settings = { featureType: 'backup', inlineSettings: { backupMode: 'system_image' } } as const
  const link = await app.call(addPolicyLink, { params, body: settings }, { token })
  const assignment = await app.call(assignPolicy, { params, body: { level: 'site', targetId: siteId } }, { token })
  return { policy: policy.id, policyLink: link.body.id, policyAssignment: assignment.body.id }
}

async function providerOf(
  app: TestApp,
  token: string,
  owner: { orgId: string } | { ownerScope: 'partner' },
): Promise<string> {
  const body = { ...owner, name: 'Corp sign-in', type: 'oidc', clientSecret: 'Swordfish-of-the-provider' } as const
  return (await app.call(createSsoProvider, { body }, { token })).body.data.id
}

/** Being tried out, so that accounts can be connected with it; the caller's is. */
async function staffProviderOf(
  app: TestApp,
  { token, userId }: Admin,
): Promise<Pick<Ids, 'staffProvider' | 'identity'>> {
  const staffProvider = await providerOf(app, token, { ownerScope: 'partner' })
  app.db.run(q.updateTable('sso_providers').set({ status: 'testing' }).where('id', '=', staffProvider))
  const [identity, now] = [randomUUID(), isoNow(app.clock)]
  const row = { id: identity, user_id: userId, provider_id: staffProvider, external_id: 'ada' }
  app.db.run(q.insertInto('user_sso_identities').values({ ...row, created_at: now, updated_at: now }))
  return { staffProvider, identity }
}

async function domainOf(app: TestApp, token: string, orgId: string): Promise<string> {
  return (await app.call(addSsoDomain, { body: { orgId, domain: 'acme.test' } }, { token })).body.data.id
}

/** As if they had enrolled a passkey and answered with it a moment ago, in all their sessions. */
export function showFactor(app: TestApp, userId: string): void {
  app.db.run(q.updateTable('users').set({ mfa_enabled: 1, mfa_method: 'passkey' }).where('id', '=', userId))
  const shown = { mfa_at: isoNow(app.clock), mfa_source: 'passkey' } as const
  app.db.run(q.updateTable('sessions').set(shown).where('user_id', '=', userId))
}

function oldMergeRun(app: TestApp, partnerId: string, survivorId: string): string {
  const orgId = randomUUID()
  const run = { id: `org-merge-${orgId}`, kind: 'organization.merge', org_id: orgId, partner_id: partnerId }
  const at = { created_at: isoNow(app.clock), finished_at: isoNow(app.clock) }
  const ended = { ...at, state: 'failed', error: 'performer_inactive' } as const
  app.db.run(q.insertInto('tasks').values({ ...run, ...ended, input: JSON.stringify({ survivorId }) }))
  return run.id
}

function bareCompany(app: TestApp): string {
  const id = randomUUID()
  const now = isoNow(app.clock)
  app.db.run(q.insertInto('partners').values({ id, name: 'Bare', slug: id, created_at: now, updated_at: now }))
  return id
}

async function contactOf(app: TestApp, token: string, id: string, siteId: string): Promise<string> {
  const { body } = await app.call(createContact, { params: { id }, body: { name: 'Kim', siteId } }, { token })
  return body.data.id
}

async function invitedTo(app: TestApp, partnerId: string): Promise<string> {
  const email = `invited-${randomUUID()}@x.test`
  const { id } = await member(app, { email, scope: 'partner', partnerId, role: 'Partner Viewer' })
  app.db.run(q.updateTable('users').set({ status: 'invited', password_hash: null }).where('id', '=', id))
  return id
}

/** Beside the one in the company, which they work in. */
function membershipIn(app: TestApp, userId: string, orgId: string): string {
  const id = randomUUID()
  const roleId = findBuiltInRole(app.db, 'Org Viewer', 'organization') as string
  const row = { id, org_id: orgId, user_id: userId, role_id: roleId, created_at: isoNow(app.clock) }
  app.db.run(q.insertInto('organization_users').values(row))
  return id
}

function invitationTo(app: TestApp, userId: string, partnerId: string): string {
  const id = randomUUID()
  const roleId = findBuiltInRole(app.db, 'Partner Viewer', 'partner') as string
  const offer = { id, user_id: userId, partner_id: partnerId, role_id: roleId, org_access: 'none' } as const
  const entered = { email: 'ada@acme.test', name: 'Ada', inviter_name: 'Ina', expires_at: '2999-01-01T00:00:00.000Z' }
  const now = isoNow(app.clock)
  app.db.run(q.insertInto('invitations').values({ ...offer, ...entered, created_at: now, updated_at: now }))
  return id
}

function pictureOf(app: TestApp, userId: string): void {
  const row = { user_id: userId, mime: 'image/webp', data: tinyPng, updated_at: isoNow(app.clock) }
  app.db.run(q.replaceInto('user_avatars').values(row))
}

function passkeyOf(app: TestApp, userId: string): string {
  const id = randomUUID()
  const now = isoNow(app.clock)
  app.db.run(
    q.insertInto('user_passkeys').values({
      id,
      user_id: userId,
      credential_id: `credential-${id}`,
      public_key: 'AA',
      counter: 0,
      rp_id: 'localhost',
      device_type: 'singleDevice',
      backed_up: 0,
      transports: toJson([]),
      name: 'Passkey',
      created_at: now,
      updated_at: now,
    }),
  )
  return id
}

function anotherSession(app: TestApp, userId: string): string {
  const id = randomUUID()
  const [session] = app.db.all(q.selectFrom('sessions').selectAll().where('user_id', '=', userId))
  if (!session) throw new Error(`${userId} has no session`)
  app.db.run(q.insertInto('sessions').values({ ...session, id, token_hash: id }))
  return id
}

function failedMail(app: TestApp): string {
  const id = randomUUID()
  const input = JSON.stringify({ kind: 'registration-attempted', to: 'bo@x.test', data: { name: 'Bo' } })
  const at = { created_at: isoNow(app.clock), finished_at: isoNow(app.clock) }
  app.db.run(q.insertInto('tasks').values({ id, kind: 'mail.send', state: 'failed', input, ...at }))
  return id
}

/** Something the device did. */
function eventOf(app: TestApp, { partnerId }: Admin, orgId: string, deviceId: string): string {
  const device = { kind: 'device', deviceId, orgId } as DeviceActor
  writer(app, device)({ orgId, partnerId, resourceType: 'device', resourceId: deviceId })
  const newest = app.db.first(q.selectFrom('audit_logs').select('id').orderBy('seq', 'desc'))
  return newest?.id ?? ''
}

/** Puts somebody and their sessions back to how they are now, whatever a call did to them. */
export function keepSignedIn(app: TestApp, userId: string): () => void {
  const users = app.db.all(q.selectFrom('users').selectAll().where('id', '=', userId))
  const sessions = app.db.all(q.selectFrom('sessions').selectAll().where('user_id', '=', userId))
  return () =>
    app.db.transaction(() => {
      for (const { id, ...row } of users) app.db.run(q.updateTable('users').set(row).where('id', '=', id))
      for (const { id, ...row } of sessions) app.db.run(q.updateTable('sessions').set(row).where('id', '=', id))
    })
}

async function scriptOn(app: TestApp, token: string, id: string): Promise<string> {
  const { body } = await app.call(runScript, { params: { id }, body: { language: 'bash', content: 'true' } }, { token })
  return body.id
}

/** Gives the built-in role that `who` holds exactly these grants, so that one sign-in serves a whole walk. */
export function regrant(app: TestApp, role: { name: string; scope: string }, permissions: readonly string[]): void {
  app.db.transaction(() => {
    const { id } = app.db.first(
      q
        .selectFrom('roles')
        .select('id')
        .where('name', '=', role.name)
        .where('scope', '=', role.scope as 'partner'),
    ) as { id: string }
    app.db.run(q.deleteFrom('role_permissions').where('role_id', '=', id))
    for (const row of app.db.all(q.selectFrom('permissions').selectAll()))
      if (permissions.includes(`${row.resource}:${row.action}`))
        app.db.run(q.insertInto('role_permissions').values({ role_id: id, permission_id: row.id, constraints: null }))
    app.db.run(
      q
        .updateTable('roles')
        .set({ updated_at: isoNow(app.clock) })
        .where('id', '=', id),
    )
  })
}

/** Somebody whom no missing permission stops, in any scope. */
export async function omnipotent(app: TestApp, who: Person) {
  if (who.scope === 'organization') regrant(app, { name: 'Org Admin', scope: 'organization' }, allPermissions)
  return person(app, who)
}
