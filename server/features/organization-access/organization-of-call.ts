import type { ErrorCode } from '../../../shared/errors/index.ts'
import type { Database } from '../../db/database.ts'
import { isShown } from '../../db/org-status.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'

/**
 * The id of the organization a call is about: the named one, or the only one the actor can mean. Does not check whether
 * the actor may see it.
 * @throws AppError `org_id_required`, `org_id_required_many`, or `unclear` in place of both
 */
export function resolveOrganization(
  db: Database,
  actor: UserActor,
  named: string | undefined,
  unclear?: ErrorCode,
): string {
  if (named) return named
  if (actor.orgId) return actor.orgId
  if (actor.scope !== 'partner') throw new AppError(unclear ?? 'org_id_required')
  const [only, ...others] = db.all(
    q.selectFrom('organizations').select('id').where(withinReach(actor, 'organizations')).where(isShown()).limit(2),
  )
  if (!only || others.length > 0) throw new AppError(unclear ?? 'org_id_required_many')
  return only.id
}
