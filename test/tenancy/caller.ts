import { randomUUIDv7 } from 'node:crypto'
import fc from 'fast-check'
import { q } from '../../server/db/query.ts'
import { createTokens } from '../../server/features/authentication/sessions/tokens.ts'
import { toJson } from '../../server/lib/json.ts'
import { day, iso } from '../../server/platform/clock.ts'
import { openSecrets } from '../../server/platform/secrets.ts'
import type { TestApp } from '../helpers/test-app.ts'
import type { Organization, Partner, Tree } from './tree.ts'

/** Callers of every kind, as fast-check makes them up, with a session that has passed a second factor. */

const subset = fc.array(fc.nat({ max: 5 }), { maxLength: 3 })
export const callerPlan = fc.oneof(
  fc.record({ scope: fc.constant('system' as const) }),
  fc.record({
    scope: fc.constant('partner' as const),
    partner: fc.nat({ max: 1 }),
    access: fc.constantFrom('all' as const, 'selected' as const, 'none' as const),
    selection: subset,
  }),
  fc.record({
    scope: fc.constant('organization' as const),
    org: fc.nat({ max: 5 }),
    sites: fc.option(subset, { nil: null }),
    groups: fc.option(subset, { nil: null }),
  }),
)
export type CallerPlan = typeof callerPlan extends fc.Arbitrary<infer T> ? T : never

export type Caller = { token: string } & (
  | { scope: 'system' }
  | { scope: 'partner'; partner: Partner; access: 'all' | 'selected' | 'none'; selection: ReadonlySet<string> }
  | {
      scope: 'organization'
      org: Organization
      sites: ReadonlySet<string> | null
      groups: ReadonlySet<string> | null
    }
)

type Standing = Caller extends infer C ? (C extends { token: string } ? Omit<C, 'token'> : never) : never

/** The planned caller signed in; null when the tree has no place for them. */
export async function signedIn(app: TestApp, tree: Tree, plan: CallerPlan): Promise<Caller | null> {
  const standing = standingOf(tree, plan)
  return standing && ({ ...standing, token: await tokenFor(app, standing) } as Caller)
}

function standingOf(tree: Tree, plan: CallerPlan): Standing | null {
  const chosen = (rows: readonly { id: string }[], at: readonly number[]) =>
    new Set(at.flatMap((index) => rows[index]?.id ?? []))
  switch (plan.scope) {
    case 'system':
      return { scope: 'system' }
    case 'partner': {
      const partner = tree.partners[plan.partner]
      // Selections may name what is not the partner's own: such ids must open nothing.
      return partner
        ? { scope: 'partner', partner, access: plan.access, selection: chosen(tree.orgs, plan.selection) }
        : null
    }
    case 'organization': {
      const org = tree.orgs[plan.org]
      if (!org) return null
      return {
        scope: 'organization',
        org,
        sites: plan.sites && chosen(tree.sites, plan.sites),
        groups: plan.groups && chosen(tree.groups, plan.groups),
      }
    }
  }
}

async function tokenFor(app: TestApp, standing: Standing): Promise<string> {
  const now = iso(app.clock.now())
  const stamps = { created_at: now, updated_at: now }
  const userId = randomUUIDv7()
  const session = { id: randomUUIDv7(), mobile_device_id: null }
  const email = `${userId}@caller.test`
  app.db.transaction(() => {
    const isSystem = standing.scope === 'system' ? 1 : 0
    const user = { id: userId, email, name: 'Caller', status: 'active' as const, is_platform_admin: isSystem as 0 | 1 }
    app.db.run(q.insertInto('users').values({ ...user, ...stamps }))
    if (standing.scope !== 'system') join(app, standing, userId, now)
    app.db.run(
      q.insertInto('sessions').values({
        ...session,
        user_id: userId,
        token_hash: session.id,
        auth_at: now,
        mfa_at: now,
        mfa_source: 'totp',
        auth_epoch: 1,
        mfa_epoch: 1,
        created_at: now,
        last_used_at: now,
        expires_at: iso(app.clock.now() + day),
      }),
    )
  })
  const { jwtKey } = openSecrets(app.dataDir, app.config.secrets)
  const place = {
    scope: standing.scope,
    partnerId:
      standing.scope === 'system' ? null : standing.scope === 'partner' ? standing.partner.id : standing.org.partner.id,
    orgId: standing.scope === 'organization' ? standing.org.id : null,
  }
  const claims = { sub: userId, email, roleId: null, mfa: true, aep: 1, mep: 1, ...place }
  return createTokens(jwtKey, app.clock).access(claims, session)
}

function join(app: TestApp, standing: Exclude<Standing, { scope: 'system' }>, userId: string, now: string): void {
  const member = { id: randomUUIDv7(), user_id: userId, role_id: everyPermission(app, standing.scope), created_at: now }
  const list = (ids: ReadonlySet<string> | null) => (ids === null ? null : toJson([...ids]))
  if (standing.scope === 'partner')
    app.db.run(
      q.insertInto('partner_users').values({
        ...member,
        partner_id: standing.partner.id,
        org_access: standing.access,
        org_ids: list(standing.selection),
      }),
    )
  else
    app.db.run(
      q.insertInto('organization_users').values({
        ...member,
        org_id: standing.org.id,
        site_ids: list(standing.sites),
        device_group_ids: list(standing.groups),
      }),
    )
}

/** A role that permits everything, so that nothing but the place in the tree decides. */
function everyPermission({ db, clock }: TestApp, scope: 'partner' | 'organization'): string {
  const name = `Every permission, ${scope}`
  const known = db.first(q.selectFrom('roles').select('id').where('name', '=', name))
  if (known) return known.id
  const id = randomUUIDv7()
  const now = iso(clock.now())
  db.run(q.insertInto('roles').values({ id, scope, name, is_system: 1, created_at: now, updated_at: now }))
  const permissions = db.all(q.selectFrom('permissions').select('id'))
  for (const permission of permissions)
    db.run(q.insertInto('role_permissions').values({ role_id: id, permission_id: permission.id }))
  return id
}
