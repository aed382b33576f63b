import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { allEndpoints } from '../../shared/api/index.ts'
import type { Endpoint } from '../../shared/endpoint.ts'
import { type Admin, bootstrapped, holdings } from '../helpers/factories.ts'
import { setDevice, setOrganization } from '../helpers/rows.ts'
import { smsGateway } from '../helpers/sms-gateway.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { bodyOf, forUsers, type Ids, isStream, paramsOf, queryOf, send } from './kit.ts'
import { idsOf, keepSignedIn, twoCompanies, withoutLimits } from './stage.ts'

/**
 * The walk cannot make these succeed: they need a current code, an authenticator, the token of a mail or an operator,
 * or are not for users. The file named here tests their event.
 */
const elsewhere: Record<string, string> = {
  'auth.login': 'test/flows/sign-in.test.ts',
  'auth.mfa-verify': 'test/flows/second-factor.test.ts',
  'auth.mfa-passkey-verify': 'test/flows/passkey-sign-in.test.ts',
  'auth.passkey-login': 'test/flows/passkey-alone.test.ts',
  'sso.callback': 'test/flows/sso-resolve.test.ts',
  'sso.exchange': 'test/flows/sso-exchange.test.ts',
  'auth.reset-password': 'test/flows/forgotten-password.test.ts',
  'auth.unlock': 'test/flows/account-unlock.test.ts',
  'backup-downloads.start': 'test/flows/backup-downloads.test.ts',
  'backup-file-listings.start': 'test/flows/backup-file-listings.test.ts',
  'backup-jobs.run': 'test/flows/backup-runs.test.ts',
  'components.upload': 'test/flows/components.test.ts',
  'components.remove': 'test/flows/components.test.ts',
  'backup-preview.run': 'test/flows/backup-preview.test.ts',
  'backup-restores.create': 'test/flows/backup-restores.test.ts',
  'backup-vaults.repair': 'test/flows/backup-vaults-restic.test.ts',
  'backup-vaults.sync': 'test/flows/backup-vaults.test.ts',
  'backup-verification.verify': 'test/flows/backup-verification.test.ts',
  'backup-jobs.run-all': 'test/flows/backup-runs.test.ts',
  'auth.verify-email': 'test/flows/registration.test.ts',
  'auth.accept-invite': 'test/flows/invites.test.ts',
  'auth.mfa-enable': 'test/flows/second-factor.test.ts',
  'auth.mfa-disable': 'test/flows/factor-removal.test.ts',
  'auth.mfa-step-up': 'test/flows/step-up.test.ts',
  'auth.phone-confirm': 'test/flows/text-messages.test.ts',
  'auth.passkey-register-verify': 'test/flows/passkeys.test.ts',
  'organizations.merge': 'test/flows/merge.test.ts',
  'partners.create': 'test/flows/partner-platform.test.ts',
  'partners.update': 'test/flows/partner-platform.test.ts',
  'partners.remove': 'test/flows/partner-platform.test.ts',
  'sso.link-start': 'test/flows/sso-links.test.ts',
  'sso.test': 'test/flows/sso-providers.test.ts',
  'users.update': 'test/flows/users.test.ts',
  'system.bootstrap': 'test/flows/first-run.test.ts',
  'system.update-public-address': 'test/flows/used-address.test.ts',
  'system.download-backup': 'test/flows/appliance-backup.test.ts',
  'system.rotate-ca': 'test/flows/authority-rotation.thorough.test.ts',
  'agents.enroll': 'test/protocol/enroll.test.ts',
  'agents.command-result': 'test/protocol/commands.test.ts',
}

/** Reads that take a body. */
const asks = [
  'auth.sso-discovery',
  'auth.invite-preview',
  'auth.check-reset-link',
  'auth.check-unlock-link',
  'partners.preview-security',
  'organizations.merge-preview',
  'device-groups.preview',
  'device-groups.preview-rule',
  'psa.sync',
  'contacts.import-preview',
  'backup-restores.preview',
]
/**
 * Calls that begin or continue what another call completes, and reports of devices: they write an event only in special
 * cases, or none at all.
 */
const begins = [
  'auth.refresh',
  'auth.forgot-password',
  'auth.register',
  'auth.register-partner',
  'auth.mfa-setup',
  'auth.mfa-sms-send',
  'auth.mfa-step-up-options',
  'auth.mfa-passkey-options',
  'auth.passkey-login-options',
  'auth.passkey-register-options',
  'agents.heartbeat',
  ...['connections', 'disks', 'hardware', 'network', 'software'].map((what) => `agents.upload-${what}`),
]

/**
 * Guessing at a factor leaves a trace: a refusal of these writes one event of
 * this name and with the result `denied`.
 */
const failedAttempts: Record<string, string> = {
  'auth.mfa-enable': 'auth.mfa.setup.failed',
  'auth.mfa-sms-enable': 'auth.mfa.setup.failed',
  'auth.mfa-disable': 'auth.mfa.disable.failed',
  'auth.mfa-step-up': 'auth.mfa.stepup.failed',
  'auth.phone-confirm': 'auth.phone.failed',
}
/** Written to the organization, and a second time where it survives the deletion of the organization. */
const toldTwice = ['organizations.archive', 'organizations.restore', 'organizations.update-audit-retention']
/** A picture is part of the profile: one event for itself, and one as an edit of the profile. */
const editsProfile = ['users.upload-avatar', 'users.remove-avatar']
/** Updates whose event says something else than which fields changed. */
const saysOtherwise = ['organizations.order', 'psa.set-status', 'sso.set-status', 'login-branding.replace']
/** Names of changed fields without values: data of a deleted person must not stay in the log. */
const keepsNoValues = ['contacts.update']
/** Written as the system, so that the inviter does not learn whose account it is. */
const inNobodysName = ['auth.invitation-decline']
/** Other statuses of these endpoints say that the appliance is not set up for the call. */
const isCallersFault = (status: number) => status < 500

const setUser = (app: TestApp, id: string, values: object) =>
  app.db.run(q.updateTable('users').set(values).where('id', '=', id))

/** The device is in the group already. */
function pinned(app: TestApp, { group, device }: Ids, type: 'static' | 'dynamic'): void {
  app.db.run(q.updateTable('device_groups').set({ type }).where('id', '=', group))
  const member = { group_id: group, device_id: device, is_pinned: 1, added_by: 'manual', added_at: '2027' } as const
  app.db.run(
    q
      .insertInto('device_group_members')
      .values(member)
      .onConflict((conflict) => conflict.doNothing()),
  )
}

function protectedSnapshot(app: TestApp, { snapshot }: Ids): void {
  const values = { legal_hold: 1, is_immutable: 1, immutable_until: '2020-01-01T00:00:00.000Z' } as const
  app.db.run(q.updateTable('backup_snapshots').set(values).where('id', '=', snapshot))
}

interface Scene {
  app: TestApp
  admin: Admin
  ids: Ids
}

/** States to try a call in; the first in which it succeeds counts. */
const states: ((scene: Scene) => unknown)[] = [
  ({ app, ids }) => setDevice(app, ids.device, { status: 'online' }),
  ({ app, ids }) => setDevice(app, ids.device, { status: 'quarantined' }),
  ({ app, ids }) => setDevice(app, ids.device, { status: 'decommissioned' }),
  ({ app, ids }) => pinned(app, ids, 'static'),
  ({ app, ids }) => pinned(app, ids, 'dynamic'),
  ({ app, admin }) => setUser(app, admin.userId, { email_verified_at: null, pending_email: 'next@acme.test' }),
  ({ app, admin }) => setUser(app, admin.userId, { phone_number: '+491701234567', phone_verified: 1 }),
  ({ app, admin }) => setUser(app, admin.userId, { mfa_method: 'sms' }),
  ({ app, admin }) => setUser(app, admin.userId, { mfa_enabled: 0, mfa_method: null }),
  ({ app, ids }) => app.db.run(q.deleteFrom('config_policy_feature_links').where('id', '=', ids.policyLink)),
  ({ app, ids }) => protectedSnapshot(app, ids),
  ({ app, ids }) => setOrganization(app, ids.org, { status: 'archived' }),
]

/** The event of an update names the fields, and says what plain ones were and became. */
function tellsChange({ name, audit }: Endpoint, details: Record<string, object>): void {
  if (!audit?.endsWith('.update') || saysOtherwise.includes(name)) return
  expect(details, name).toHaveProperty('changedFields', expect.any(Array))
  expect('after' in details, name).toBe(!keepsNoValues.includes(name))
  expect(Object.keys(details.after ?? {}), name).toEqual(Object.keys(details.before ?? {}))
}

/** Calls in one state after the other until it works, looking at the events of each try. */
async function succeeds(endpoint: Endpoint, { app, admin, ids }: Scene): Promise<boolean> {
  const request = {
    params: paramsOf(endpoint, ids),
    query: queryOf(endpoint, ids),
    body: bodyOf(endpoint, ids),
    token: admin.token,
  }
  const count = app.db.statement('SELECT count(*) FROM audit_logs').pluck()
  const since = app.db.statement(
    `SELECT action, result, partner_id, actor_id, ip_address, user_agent FROM audit_logs ORDER BY seq LIMIT -1 OFFSET ?`,
  )
  const newest = app.db.statement('SELECT details FROM audit_logs ORDER BY seq DESC').pluck()
  const from = { ip_address: '127.0.0.1', user_agent: 'lightMyRequest' }
  const nobody = { actor_id: '00000000-0000-0000-0000-000000000000', ip_address: null, user_agent: null }
  const actor = inNobodysName.includes(endpoint.name) ? nobody : { actor_id: admin.userId, ...from }
  const invitation = app.db.first(
    q
      .selectFrom('invitations')
      .selectAll()
      .where('id', '=', request.params.id ?? ''),
  )
  const who = { partner_id: invitation?.partner_id ?? ids.partner, ...actor }
  for (const enter of states) {
    enter({ app, admin, ids })
    const before = count.get()
    const { status, body } = await send(app, endpoint, request)
    const added = since.all(before)
    if (status < 400) {
      // The name of the contract, or of its family: `device.maintenance` is `.enable` or `.disable`.
      const action = expect.stringMatching(new RegExp(`^${endpoint.audit}(\\.|$)`)) as string
      const event = { action, result: 'success', ...who }
      const also = toldTwice.includes(endpoint.name) ? [event] : []
      const edited = editsProfile.includes(endpoint.name) ? [{ ...event, action: 'user.profile.update' }] : []
      expect(added, endpoint.name).toEqual([...edited, event, ...also])
      tellsChange(endpoint, JSON.parse(newest.get() as string) as Record<string, object>)
      expect(endpoint.reply.safeParse(body).error?.issues ?? [], `${endpoint.name} answers otherwise`).toEqual([])
      return true
    }
    const action = isCallersFault(status) ? failedAttempts[endpoint.name] : undefined
    const denied = action ? [{ action, result: 'denied', ...who }] : []
    expect(added, `${endpoint.name} refused with ${body.code}`).toEqual(denied)
  }
  return false
}

test('every write leaves exactly the event its contract names, and a refused write leaves none', async () => {
  await using gateway = await smsGateway()
  await using bare = await testApp({ env: withoutLimits })
  await using equipped = await testApp({ env: { ...withoutLimits, ...gateway.env, EMAIL_PROVIDER: 'file' } })
  let remaining = forUsers.filter(({ audit }) => audit !== null)
  for (const app of [bare, equipped]) {
    const admin = await bootstrapped(app)
    const stay = keepSignedIn(app, admin.userId)
    const left: Endpoint[] = []
    for (const endpoint of remaining) {
      stay()
      const ids = await idsOf(app, admin, await holdings(app, admin.token))
      if (!(await succeeds(endpoint, { app, admin, ids }))) left.push(endpoint)
    }
    remaining = left
    const isId = (column: string) => `${column} LIKE '________-____-____-____-____________'`
    const misshapen = `NOT (${isId('actor_id')} AND coalesce(${isId('resource_id')}, 1) AND length(action) <= 100)`
    expect(app.db.statement(`SELECT action, actor_id, resource_id FROM audit_logs WHERE ${misshapen}`).all()).toEqual(
      [],
    )
  }
  const walkedNowhere = remaining.map(({ name }) => name)
  expect(walkedNowhere).toEqual(forUsers.map(({ name }) => name).filter((name) => name in elsewhere))
})

test('every endpoint that the walk leaves out has a test of its own that names its event', () => {
  const rest = allEndpoints.filter(({ access, audit }) => access.who !== 'user' && audit !== null)
  expect(rest.map(({ name }) => name).filter((name) => !(name in elsewhere))).toEqual([])
  for (const [name, path] of Object.entries(elsewhere)) {
    const text = readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
    const audit = allEndpoints.find((one) => one.name === name)?.audit
    expect(text.includes(`'${audit}'`), `${path} looks at the event of ${name}`).toBe(true)
  }
})

test('every endpoint that is not a GET names its event, except the listed ones', () => {
  const silent = allEndpoints.filter(({ method, audit }) => method !== 'GET' && audit === null)
  expect(silent.map(({ name }) => name).toSorted()).toEqual([...asks, ...begins].toSorted())
})

test('a read leaves no event and changes no row', async () => {
  await using app = await testApp()
  const { own, ids } = await twoCompanies(app)
  const before = app.rowCounts()
  const reads = forUsers.filter((one) => (one.method === 'GET' && one.audit === null) || asks.includes(one.name))
  for (const endpoint of reads.filter((one) => !isStream(one)))
    await send(app, endpoint, {
      params: paramsOf(endpoint, ids),
      query: queryOf(endpoint, ids),
      body: bodyOf(endpoint, ids),
      token: own.admin.token,
    })
  const { tasks: _, ...after } = app.rowCounts()
  expect(before).toMatchObject(after)
})
