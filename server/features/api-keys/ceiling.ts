import type { Scope } from '../../../shared/endpoint.ts'
import type { ErrorCode } from '../../../shared/errors/index.ts'
import type { Database } from '../../db/database.ts'
import type { UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import { assertWithinOwnReach } from '../access/index.ts'
import { backingOf, type KeyRow, scopesOf } from './creators.ts'
import { assertHoldsScopes } from './scopes.ts'

const rank: Record<Scope, number> = { organization: 0, partner: 1, system: 2 }

/**
 * A key goes on acting for whoever created it, so nobody gets hold of one that can do more than they can, and none is
 * handled whose creator is no longer good for it: 403.
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
  assertHoldsScopes(actor, scopesOf(key))
  assertWithinOwnReach(actor, { siteIds: sites && [...sites], deviceGroupIds: groups && [...groups] })
}
