import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Clock, iso, isoNow, second } from '../../../platform/clock.ts'
import { invitationLifeSeconds } from './store.ts'

/** Of one role, or of one account in one tenant; `orgId` null for the partner itself. */
type Selection = { roleId: string } | { userId: string; partnerId: string; orgId: string | null }

/**
 * Deletes invitations that were not accepted in time, so that they block neither a new invitation nor the deletion of a
 * role. Memberships of accounts that were never activated are deleted as well: whether an account existed must not show.
 */
export function deleteExpiredInvitations(db: Database, clock: Clock, selection: Selection): void {
  db.run(
    q.deleteFrom('invitations').where('expires_at', '<=', isoNow(clock)).where(isSelected(selection, 'invitations')),
  )
  for (const table of ['partner_users', 'organization_users'] as const)
    db.run(q.deleteFrom(table).where(hasExpired(clock, table)).where(isSelected(selection, table)))
}

type Table = 'invitations' | 'partner_users' | 'organization_users'

function isSelected(selection: Selection, table: Table) {
  if ('roleId' in selection) return sql<boolean>`role_id = ${selection.roleId}`
  const { userId, partnerId, orgId } = selection
  const isTheirs = sql<boolean>`user_id = ${userId}`
  if (orgId !== null)
    return table === 'partner_users' ? sql<boolean>`0` : sql<boolean>`${isTheirs} and org_id = ${orgId}`
  if (table === 'organization_users') return sql<boolean>`0`
  const ofPartner = sql<boolean>`${isTheirs} and partner_id = ${partnerId}`
  return table === 'invitations' ? sql<boolean>`${ofPartner} and org_id is null` : ofPartner
}

/** The account was never activated, and no link to it works any more. */
function hasExpired(clock: Clock, table: Exclude<Table, 'invitations'>) {
  const since = iso(clock.now() - invitationLifeSeconds * second)
  return sql<boolean>`created_at <= ${since}
    and user_id in (select id from users where status = 'invited')
    and not exists (
      select 1 from one_time_secrets as links
      where links.kind = 'invite' and links.user_id = ${sql.ref(`${table}.user_id`)}
        and links.payload ->> 'membershipId' = ${sql.ref(`${table}.id`)} and links.expires_at > ${isoNow(clock)}
    )`
}
