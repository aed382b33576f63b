import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import { isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { assertOwnerWritable, isOwnerSeen } from '../organization-access/index.ts'
import type { PolicyRow } from './views.ts'

/** @throws AppError `policy_not_found` for one out of reach */
export function findPolicyToRead(db: Database, actor: UserActor, id: string): PolicyRow {
  const row = db.first(policyWith(id).where(isOwnerSeen(actor, 'configuration_policies')))
  if (!row) throw new AppError('policy_not_found')
  return row
}

/** As `findPolicyToRead`, inside the transaction that writes; found without the reach, so that a frozen organization says so. */
export function findPolicyToWrite(db: Database, actor: UserActor, id: string): PolicyRow {
  const row = db.first(policyWith(id))
  if (!row) throw new AppError('policy_not_found')
  assertOwnerWritable(db, actor, row, 'policy_not_found')
  return row
}

/** What a policy says is a part of it. */
export function touchPolicy(db: Database, clock: Clock, id: string): void {
  db.run(
    q
      .updateTable('configuration_policies')
      .set({ updated_at: isoNow(clock) })
      .where('id', '=', id),
  )
}

const policyWith = (id: string) => q.selectFrom('configuration_policies').selectAll().where('id', '=', id)

/** Whose log an event about a policy is in, and what it is about. */
export const eventAbout = ({ id, name, org_id, partner_id }: PolicyRow) => ({
  resourceType: 'config_policy',
  resourceId: id,
  resourceName: name,
  orgId: org_id,
  ...(partner_id && { partnerId: partner_id }),
})
