import { sql } from 'kysely'
import type { ssoReadiness } from '../../../../shared/api/sso-providers.ts'
import type { ReplyOf } from '../../../../shared/endpoint.ts'
import { firstByName } from '../../../db/by-name.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Steps } from '../../../lib/pieces.ts'
import { hasWholeTenant, type UserActor } from '../../../platform/actor.ts'
import { findMembership } from '../../access/index.ts'
import { assertWholePartner } from '../provider/access.ts'
import { isOf } from '../provider/owner.ts'
import { ownerOf, type Provider } from '../provider/store.ts'
import { whyNotProvisionable } from './default-role.ts'
import type { Providers } from './providers.ts'

type Readiness = ReplyOf<typeof ssoReadiness>['data']

/** How many users the answer lists. */
const maxNamed = 50

/** How many users are checked in one step, between which other requests are served. */
const stepSize = 100

/** What enforcing or deleting a provider would mean for the users of its tenant. */
export function* readinessOf(db: Database, providers: Providers, actor: UserActor, id: string): Steps<Readiness> {
  const provider = providers.find(actor, id, 'read')
  if (provider.org_id === null) assertWholePartner(actor)
  const members = yield* membersConcerned(db, provider)
  const others = members.filter(({ hasSignedIn }) => !hasSignedIn)
  const shown = others.filter((user) => user.id === actor.userId || maySeePeople(actor))
  const isCreating = provider.org_id !== null && provider.auto_provision === 1
  return {
    members: members.length,
    signedIn: members.length - others.length,
    others: (yield* firstByName(shown, maxNamed)).map(({ id, name, email }) => ({ id, name, email })),
    breakGlass: countOperators(db),
    connections: countConnections(db, provider),
    defaultRoleProblem: (isCreating && whyNotProvisionable(db, provider)?.reason) || null,
  }
}

/** Whether the caller may see other users: managing single sign-on does not include that. */
const maySeePeople = (actor: UserActor): boolean => actor.permissions.has('users:read') && hasWholeTenant(actor)

interface Member {
  id: string
  name: string
  email: string
  is_platform_admin: 0 | 1
  memberships: number
  hasSignedIn: number
}

/** Active members who could no longer use their password: those whose sign-in leads to the owner of the provider. */
function* membersConcerned(db: Database, provider: Provider): Steps<Member[]> {
  const owner = ownerOf(provider)
  const ids =
    owner.orgId === null
      ? db.statement<string>('select user_id from partner_users where partner_id = ?').pluck().all(owner.partnerId)
      : db.statement<string>('select user_id from organization_users where org_id = ?').pluck().all(owner.orgId)
  const concerned: Member[] = []
  for (let from = 0; from < ids.length; from += stepSize) {
    yield
    const members = activeAmong(db, ids.slice(from, from + stepSize), provider)
    // Most users have one membership only, so their sign-in leads there.
    concerned.push(...members.filter((user) => user.memberships === 1 || isOf(findMembership(db, user), owner)))
  }
  return concerned
}

function activeAmong(db: Database, ids: string[], provider: Provider): Member[] {
  const memberships = sql<number>`(select count(*) from partner_users where user_id = users.id)
    + (select count(*) from organization_users where user_id = users.id)`
  const through = sql<number>`exists (select 1 from user_sso_identities
    where user_id = users.id and provider_id = ${provider.id} and last_login_at is not null)`
  return db.all(
    q
      .selectFrom('users')
      .select(['id', 'name', 'email', 'is_platform_admin', memberships.as('memberships'), through.as('hasSignedIn')])
      .where('status', '=', 'active')
      .where('id', 'in', ids),
  )
}

/** Operators who can sign in with a password. */
const countOperators = (db: Database): number =>
  db.all(
    q
      .selectFrom('users')
      .select('id')
      .where('is_platform_admin', '=', 1)
      .where('status', '=', 'active')
      .where('password_hash', 'is not', null)
      .where(sql<boolean>`id not in (select user_id from partner_users union select user_id from organization_users)`),
  ).length

const countConnections = (db: Database, { id }: Provider): number =>
  db.first(
    q
      .selectFrom('user_sso_identities')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('provider_id', '=', id),
  )?.count ?? 0
