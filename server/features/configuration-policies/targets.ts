import type { assignPolicy } from '../../../shared/api/configuration-policies.ts'
import type { BodyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import { type Owner, writableOrganization } from '../organization-access/index.ts'
import type { AssignmentRow } from './views.ts'

type TargetColumns = Pick<AssignmentRow, 'org_id' | 'partner_id' | 'site_id' | 'group_id' | 'device_id'>

const nothing: TargetColumns = { org_id: null, partner_id: null, site_id: null, group_id: null, device_id: null }

/**
 * The columns of the target of a new assignment, asked inside the transaction that makes it.
 * @throws AppError 403 for what does not belong to the owner of the policy, which is also what does not exist
 */
export function targetColumns(
  db: Database,
  actor: UserActor,
  owner: Owner,
  { level, targetId = '' }: Pick<BodyOf<typeof assignPolicy>, 'level' | 'targetId'>,
): TargetColumns {
  if (level === 'partner') {
    if (owner.partner_id === null) throw new AppError('policy_partner_level')
    if (targetId !== '' && targetId !== owner.partner_id) throw new AppError('policy_target_denied')
    return { ...nothing, partner_id: owner.partner_id }
  }
  const target = findTarget(db, level, targetId)
  if (!target.org_id) throw new AppError('policy_target_denied')
  const org = writableOrganization(db, actor, target.org_id, 'policy_target_denied')
  const isOwned = owner.org_id === null ? org.partner_id === owner.partner_id : org.id === owner.org_id
  if (!isOwned) throw new AppError('policy_target_denied')
  return target
}

function findTarget(
  db: Database,
  level: 'organization' | 'site' | 'device_group' | 'device',
  id: string,
): TargetColumns {
  switch (level) {
    case 'organization':
      return { ...nothing, org_id: id }
    case 'site':
      return { ...nothing, ...organizationOf(db, 'sites', id), site_id: id }
    case 'device_group':
      return { ...nothing, ...organizationOf(db, 'device_groups', id), group_id: id }
    case 'device':
      return { ...nothing, ...organizationOf(db, 'devices', id), device_id: id }
  }
}

const organizationOf = (db: Database, table: 'sites' | 'device_groups' | 'devices', id: string) =>
  db.first(q.selectFrom(table).select('org_id').where('id', '=', id))
