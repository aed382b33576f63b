import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { organizationsOf, type Tenant } from '../../../db/tenant.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'

/** Ends the sessions of everybody who belongs to the tenant. Joins the transaction that closes it. */
export function endSessionsOf(db: Database, clock: Clock, tenant: Tenant): void {
  db.run(
    q
      .updateTable('sessions')
      .set({ revoked_at: isoNow(clock), revoked_reason: 'tenant-closed' })
      .where('user_id', 'in', tenant.kind === 'partner' ? membersOfPartner(tenant) : membersOfOrganization(tenant))
      .where('revoked_at', 'is', null),
  )
}

const membersBelow = (tenant: Tenant) =>
  q.selectFrom('organization_users').select('user_id').where('org_id', 'in', organizationsOf(tenant))

/** Whoever also belongs to the partner goes on working for its other organizations. */
const membersOfOrganization = (tenant: Tenant) =>
  membersBelow(tenant).where('user_id', 'not in', (query) =>
    query
      .selectFrom('partner_users')
      .select('user_id')
      .where(sql<boolean>`partner_id = (select partner_id from organizations where id = ${tenant.id})`),
  )

const membersOfPartner = (tenant: Tenant) =>
  membersBelow(tenant).union(q.selectFrom('partner_users').select('user_id').where('partner_id', '=', tenant.id))
