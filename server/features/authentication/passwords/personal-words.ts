import type { About } from '../../../../shared/password-strength.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { findHomePartner, type User } from '../../access/index.ts'

/** Words a password must not be made of, because others know them: name, address, partner and organizations of a user. */
export function personalWords(db: Database, user: Pick<User, 'id' | 'email' | 'name'>): About {
  const partnerId = findHomePartner(db, user.id)
  const company = partnerId && db.first(q.selectFrom('partners').select('name').where('id', '=', partnerId))
  const organizations = db.all(
    q
      .selectFrom('organization_users')
      .innerJoin('organizations', 'organizations.id', 'organization_users.org_id')
      .select('organizations.name')
      .where('user_id', '=', user.id),
  )
  return [user.email, user.name, ...(company ? [company.name] : []), ...organizations.map(({ name }) => name)]
}
