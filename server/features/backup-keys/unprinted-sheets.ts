import type { Home } from '../../../shared/api/home.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { isConfined, type UserActor } from '../../platform/actor.ts'

/** Active keys of which nobody has said that their recovery sheet is locked away. */
export const unprintedKeys = () =>
  q
    .selectFrom('storage_encryption_keys')
    .innerJoin('organizations', 'organizations.id', 'storage_encryption_keys.org_id')
    .where('storage_encryption_keys.is_managed', '=', 1)
    .where('storage_encryption_keys.is_active', '=', 1)
    .where('storage_encryption_keys.locked_away_at', 'is', null)
    .where('organizations.status', 'in', ['active', 'trial'])

/** Organizations without a recovery sheet, for people who may print it; null when there are none. */
export function unprintedSheets(
  db: Database,
  actor: UserActor,
  orgId: string | undefined,
  most: number,
): Home['unprintedSheets'] {
  if (!actor.permissions.has('organizations:write') || isConfined(actor)) return null
  let unprinted = unprintedKeys()
    .select(['organizations.id', 'organizations.name'])
    .distinct()
    .where(withinReach(actor, 'storage_encryption_keys'))
  if (orgId) unprinted = unprinted.where('storage_encryption_keys.org_id', '=', orgId)
  const found = db.all(unprinted.limit(most))
  const [first] = found
  return first ? { organizations: found.length, only: found.length === 1 ? first : null } : null
}
