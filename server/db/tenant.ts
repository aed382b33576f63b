import { q } from './query.ts'

/** An organization, or a partner together with all of its organizations. */
export interface Tenant {
  kind: 'organization' | 'partner'
  id: string
}

/** For a `where`: the ids of the organizations that make up the tenant, whatever their status. */
export const organizationsOf = ({ kind, id }: Tenant) =>
  q
    .selectFrom('organizations')
    .select('organizations.id')
    .where(kind === 'partner' ? 'organizations.partner_id' : 'organizations.id', '=', id)
