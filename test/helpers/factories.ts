import { randomUUIDv7 } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { hashPassword } from '../../server/features/authentication/index.ts'
import { toJson } from '../../server/lib/json.ts'
import { iso } from '../../server/platform/clock.ts'
import { createApiKey } from '../../shared/api/api-keys.ts'
import { login } from '../../shared/api/auth.ts'
import { createEnrollmentKey } from '../../shared/api/enrollment-keys.ts'
import { createOrganization, type Organization } from '../../shared/api/organizations.ts'
import { createSite, type Site } from '../../shared/api/sites.ts'
import { bootstrap } from '../../shared/api/system.ts'
import { enroll } from '../../shared/device/enroll.ts'
import type { ReplyOf } from '../../shared/endpoint.ts'
import { sessionOf } from './sessions.ts'
import type { TestApp } from './test-app.ts'

export const password = 'Correct1Horse'

export interface Admin {
  token: string
  userId: string
  partnerId: string
  email: string
}

/** The first administrator, made as a person would: with the setup code. */
export async function bootstrapped(app: TestApp): Promise<Admin> {
  app.app.bootstrap.setupCode()
  const setupCode = readFileSync(join(app.dataDir, 'setup-code'), 'utf8').trim()
  const email = 'ada@acme.test'
  const { status, body } = await app.call(bootstrap, {
    body: { setupCode, companyName: 'Acme', name: 'Ada Admin', email, password },
  })
  if (status !== 201) throw new Error(`bootstrap answered ${status}: ${JSON.stringify(body)}`)
  return { token: body.tokens.accessToken, userId: body.user.id, partnerId: body.partner.id, email }
}

export async function organizationOf(app: TestApp, token: string, name = 'Berlin'): Promise<Organization> {
  const slug = `${name.toLowerCase().replaceAll(' ', '-')}-${randomUUIDv7().slice(-12)}`
  const { status, body } = await app.call(createOrganization, { body: { name, slug } }, { token })
  if (status !== 201) throw new Error(`organization: ${status} ${JSON.stringify(body)}`)
  return body as Organization
}

export async function siteOf(app: TestApp, token: string, orgId: string, name = 'HQ'): Promise<Site> {
  const { status, body } = await app.call(createSite, { body: { orgId, name } }, { token })
  if (status !== 201) throw new Error(`site: ${status} ${JSON.stringify(body)}`)
  return body as Site
}

export async function enrollmentKeyOf(
  app: TestApp,
  token: string,
  wanted: { orgId: string; siteId?: string | null; maxUsage?: number; ttlMinutes?: number },
): Promise<ReplyOf<typeof createEnrollmentKey>> {
  const { status, body } = await app.call(
    createEnrollmentKey,
    { body: { name: 'key', maxUsage: 1000, ...wanted } },
    { token },
  )
  if (status !== 201) throw new Error(`enrollment key: ${status} ${JSON.stringify(body)}`)
  return body
}

export async function apiKeyOf(
  app: TestApp,
  token: string,
  orgId: string,
  scopes: string[] = ['devices:read'],
): Promise<ReplyOf<typeof createApiKey>> {
  const { status, body } = await app.call(createApiKey, { body: { orgId, name: 'Backup script', scopes } }, { token })
  if (status !== 201) throw new Error(`API key: ${status} ${JSON.stringify(body)}`)
  return body
}

export const enrollBody = (enrollmentKey: string, hostname = 'pc-1') => ({
  enrollmentKey,
  hostname,
  osType: 'linux' as const,
  osVersion: 'Debian 13',
  architecture: 'amd64',
  agentVersion: '0.1.0',
})

export async function enrolledDevice(
  app: TestApp,
  enrollmentKey: string,
  hostname = 'pc-1',
): Promise<ReplyOf<typeof enroll>> {
  const { status, body } = await app.call(enroll, { body: enrollBody(enrollmentKey, hostname) })
  if (status !== 201) throw new Error(`enroll: ${status} ${JSON.stringify(body)}`)
  return body
}

/** A whole small company: administrator, organization, site, key and one device. */
export async function company(app: TestApp) {
  const admin = await bootstrapped(app)
  return { admin, ...(await holdings(app, admin.token)) }
}

/** What a company has: an organization with a site, a key and a device. */
export async function holdings(app: TestApp, token: string, name = 'Berlin', hostname = 'pc-1') {
  const org = await organizationOf(app, token, name)
  const site = await siteOf(app, token, org.id)
  const key = await enrollmentKeyOf(app, token, { orgId: org.id, siteId: site.id })
  const device = await enrolledDevice(app, key.key, hostname)
  return { org, site, key, device }
}

export interface Person {
  email: string
  name?: string
  scope: 'system' | 'partner' | 'organization'
  /** Built-in role; users of scope system have none. */
  role?: string
  partnerId?: string
  orgAccess?: 'all' | 'selected' | 'none'
  orgIds?: string[]
  orgId?: string
  siteIds?: string[] | null
  deviceGroupIds?: string[] | null
  isPlatformAdmin?: boolean
  /** False: the email address is not verified. */
  isVerified?: boolean
}

let passwordHash: Promise<string> | null = null

/** A user with a membership, straight into the tables: for tests that are not about invitations. */
export async function member(app: TestApp, who: Person): Promise<{ id: string; email: string }> {
  passwordHash ??= hashPassword(password)
  const hash = await passwordHash
  const now = iso(app.clock.now())
  const id = randomUUIDv7()
  const confirmedAt = who.isVerified === false ? null : now
  app.db.transaction(() => {
    app.db.run(
      q.insertInto('users').values({
        id,
        email: who.email,
        name: who.name ?? who.email,
        password_hash: hash,
        status: 'active',
        email_verified_at: confirmedAt,
        is_platform_admin: who.isPlatformAdmin || who.scope === 'system' ? 1 : 0,
        created_at: now,
        updated_at: now,
      }),
    )
    if (who.scope === 'partner')
      app.db.run(
        q.insertInto('partner_users').values({
          id: randomUUIDv7(),
          partner_id: who.partnerId as string,
          user_id: id,
          role_id: findBuiltInRole(app.db, who.role ?? 'Partner Admin', 'partner') as string,
          org_access: who.orgAccess ?? 'all',
          org_ids: who.orgIds ? toJson(who.orgIds) : null,
          created_at: now,
        }),
      )
    if (who.scope === 'organization')
      app.db.run(
        q.insertInto('organization_users').values({
          id: randomUUIDv7(),
          org_id: who.orgId as string,
          user_id: id,
          role_id: findBuiltInRole(app.db, who.role ?? 'Org Admin', 'organization') as string,
          site_ids: who.siteIds ? toJson(who.siteIds) : null,
          device_group_ids: who.deviceGroupIds ? toJson(who.deviceGroupIds) : null,
          created_at: now,
        }),
      )
  })
  return { id, email: who.email }
}

/** A member with a session. */
export async function person(app: TestApp, who: Person): Promise<{ id: string; email: string; token: string }> {
  const known = await member(app, who)
  return { ...known, token: await sessionOf(app, known.id) }
}

export async function signIn(app: TestApp, email: string, secret = password): Promise<string> {
  const { body } = await app.call(login, { body: { email, password: secret } })
  if (!body.tokens) throw new Error(`sign-in of ${email}: ${JSON.stringify(body)}`)
  return body.tokens.accessToken
}

/** Another company on the same box, with an organization, a site and a device of its own. */
export async function otherCompany(app: TestApp, name = 'Umbrella') {
  const now = iso(app.clock.now())
  const partnerId = randomUUIDv7()
  app.db.run(
    q.insertInto('partners').values({
      id: partnerId,
      name,
      slug: `${name.toLowerCase()}-${partnerId.slice(-12)}`,
      plan: 'unlimited',
      status: 'active',
      created_at: now,
      updated_at: now,
    }),
  )
  const admin = await person(app, { email: `admin@${name.toLowerCase()}.test`, scope: 'partner', partnerId })
  return { partnerId, admin, ...(await holdings(app, admin.token, `${name} One`, `${name.toLowerCase()}-pc`)) }
}
