import type { Database } from '../../db/database.ts'
import { reachesOrg, type UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import { grantedOrganization, resolveOrganization } from '../organization-access/index.ts'

/**
 * The organization that a call about backups is about.
 * @throws AppError `backup_org_required`, also for an organization that the actor cannot see
 */
export function backupOrganization(db: Database, actor: UserActor, named: string | undefined): string {
  const orgId = resolveOrganization(db, actor, named, 'backup_org_required')
  if (!reachesOrg(actor, orgId) || !grantedOrganization(db, actor, orgId)) throw new AppError('backup_org_required')
  return orgId
}
