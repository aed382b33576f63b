import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Clock, iso, isoNow, second } from '../../../platform/clock.ts'
import { inviteLife } from '../../authentication/invitation-links/invitation-links.ts'
import type { Tenant } from '../../people/tenants/tenant-of-call.ts'

/** Of one role, or of one account in one tenant. */
type Whose = { roleId: string } | { userId: string; tenant: Tenant }

/**
 * Removes what people were invited to and did not take in time, so that it stands in nobody's way. Memberships that wait
 * for an account which was never made go the same way: who invites must not learn which of the two it was.
 */
export function dropLapsed(db: Database, clock: Clock, whose: Whose): void {
  db.run(q.deleteFrom('invitations').where('expires_at', '<=', isoNow(clock)).where(isMeant(whose, 'invitations')))
  for (const table of ['partner_users', 'organization_users'] as const)
    db.run(q.deleteFrom(table).where(waitsTooLong(clock, table)).where(isMeant(whose, table)))
}

type Table = 'invitations' | 'partner_users' | 'organization_users'

function isMeant(whose: Whose, table: Table) {
  if ('roleId' in whose) return sql<boolean>`role_id = ${whose.roleId}`
  const { userId, tenant } = whose
  const isTheirs = sql<boolean>`user_id = ${userId}`
  if (tenant.kind === 'organization')
    return table === 'partner_users' ? sql<boolean>`0` : sql<boolean>`${isTheirs} and org_id = ${tenant.orgId}`
  if (table === 'organization_users') return sql<boolean>`0`
  const ofPartner = sql<boolean>`${isTheirs} and partner_id = ${tenant.partnerId}`
  return table === 'invitations' ? sql<boolean>`${ofPartner} and org_id is null` : ofPartner
}

/** Its account was never made, and no link to it works any more. */
function waitsTooLong(clock: Clock, table: Exclude<Table, 'invitations'>) {
  const since = iso(clock.now() - inviteLife * second)
  return sql<boolean>`created_at <= ${since}
    and user_id in (select id from users where status = 'invited')
    and not exists (
      select 1 from one_time_secrets as links
      where links.kind = 'invite' and links.user_id = ${sql.ref(`${table}.user_id`)}
        and links.payload ->> 'membershipId' = ${sql.ref(`${table}.id`)} and links.expires_at > ${isoNow(clock)}
    )`
}
