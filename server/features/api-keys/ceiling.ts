import type { Scope } from '../../../shared/endpoint.ts'
import type { ErrorCode } from '../../../shared/errors/index.ts'
import type { Database } from '../../db/database.ts'
import { fromJson } from '../../lib/json.ts'
import type { UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import { assertWithinOwnReach } from '../access/index.ts'
import { backingOf, type KeyRow } from './creators.ts'
import { assertHoldsScopes } from './scopes.ts'

const rank: Record<Scope, number> = { organization: 0, partner: 1, system: 2 }

/**
 * A key acts for its creator. Nobody may therefore change or rotate a key that can do more than they can, nor one whose
 * creator may no longer do what it is for.
 * @throws AppError `api_key_beyond_caller`, `permission_not_held`, or `unbacked` when the creator does not stand behind
 *   the key
 */
export function assertWithinCaller(
  db: Database,
  actor: UserActor,
  key: Pick<KeyRow, 'org_id' | 'created_by' | 'scopes'>,
  unbacked: ErrorCode = 'api_key_without_creator',
): void {
  const backing = backingOf(db, key)
  if (backing.problem !== null) throw new AppError(unbacked, { problem: backing.problem })
  const { scope, sites, groups } = backing.authority
  if (rank[scope] > rank[actor.scope]) throw new AppError('api_key_beyond_caller')
  assertHoldsScopes(actor, fromJson(key.scopes))
  assertWithinOwnReach(actor, { siteIds: sites && [...sites], deviceGroupIds: groups && [...groups] })
}
