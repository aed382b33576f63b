import { sql } from 'kysely'
import type { ssoReadiness } from '../../../../shared/api/sso-providers.ts'
import type { ReplyOf } from '../../../../shared/endpoint.ts'
import { sortedByName } from '../../../db/by-name.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { hasWholeTenant, type UserActor } from '../../../platform/actor.ts'
import { findMembership } from '../../identity/index.ts'
import { assertWholePartner } from '../access.ts'
import { isOf } from '../owner.ts'
import { ownerOf, type Provider } from '../store.ts'
import { whyNotProvisionable } from './default-role.ts'
import type { Providers } from './providers.ts'

type Readiness = ReplyOf<typeof ssoReadiness>['data']

/** As many names as one reads. */
const mostNamed = 50

/** What enforcing a provider, or removing it, would mean for people. */
export function readinessOf(db: Database, providers: Providers, actor: UserActor, id: string): Readiness {
  const provider = providers.find(actor, id, 'read')
  if (provider.org_id === null) assertWholePartner(actor)
  const members = membersConcerned(db, provider)
  const others = members.filter(({ hasSignedIn }) => !hasSignedIn)
  const isCreating = provider.org_id !== null && provider.auto_provision === 1
  return {
    members: members.length,
    signedIn: members.length - others.length,
    others: sortedByName(others.filter((user) => user.id === actor.userId || maySeePeople(actor)))
      .slice(0, mostNamed)
      .map(({ id, name, email }) => ({ id, name, email })),
    breakGlass: countOperators(db),
    connections: countConnections(db, provider),
    defaultRoleProblem: (isCreating && whyNotProvisionable(db, provider)?.reason) || null,
  }
}

/** Others than oneself: to look after how people sign in is not to look after people (reference/auth-and-users.md §4). */
const maySeePeople = (actor: UserActor): boolean => actor.permissions.has('users:read') && hasWholeTenant(actor)

/** Active members whose password this provider would end: those whom a sign-in leads to its owner. */
function membersConcerned(db: Database, provider: Provider) {
  const owner = ownerOf(provider)
  const ofOwner =
    owner.orgId === null
      ? sql`select user_id from partner_users where partner_id = ${owner.partnerId}`
      : sql`select user_id from organization_users where org_id = ${owner.orgId}`
  const places = sql<number>`(select count(*) from partner_users where user_id = users.id)
    + (select count(*) from organization_users where user_id = users.id)`
  const through = sql<number>`exists (select 1 from user_sso_identities
    where user_id = users.id and provider_id = ${provider.id} and last_login_at is not null)`
  const members = db.all(
    q
      .selectFrom('users')
      .select(['id', 'name', 'email', 'is_platform_admin', places.as('places'), through.as('hasSignedIn')])
      .where('status', '=', 'active')
      .where(sql<boolean>`id in (${ofOwner})`),
  )
  // Nearly everybody is a member of one place, where there is nothing to find out.
  return members.filter((user) => user.places === 1 || isOf(findMembership(db, user), owner))
}

/** Of those above all companies, who can sign in with a password. */
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
