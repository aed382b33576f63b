import type { Database } from '../../db/database.ts'
import { isShown } from '../../db/org-status.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'

/** The organization a write is about: the named one, or the only one it can be. Says nothing of who may write there. */
export function organizationMeant(db: Database, actor: UserActor, named: string | undefined): string {
  if (named) return named
  if (actor.orgId) return actor.orgId
  if (actor.scope !== 'partner') throw new AppError('org_id_required')
  const [only, ...others] = db.all(
    q.selectFrom('organizations').select('id').where(withinReach(actor, 'organizations')).where(isShown()).limit(2),
  )
  if (!only || others.length > 0) throw new AppError('org_id_required_many')
  return only.id
}
