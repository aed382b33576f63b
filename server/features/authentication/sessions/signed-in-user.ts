import type { AuditAction } from '../../../../shared/audit-actions/index.ts'
import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { AppError } from '../../../platform/errors.ts'
import { findUser, type User } from '../../access/index.ts'
import { findSession } from './store.ts'

/** @throws AppError `invalid_token` for an account that is gone */
export function signedInUser(db: Database, actor: UserActor): User {
  const user = findUser(db, actor.userId)
  if (!user) throw new AppError('invalid_token')
  return user
}

/**
 * For use inside a transaction, after hashing, signing or sending: another device or an administrator may have ended this
 * session meanwhile.
 * @throws AppError `invalid_token`
 */
export function assertSessionUnchanged(db: Database, actor: UserActor, user: User): void {
  const now = findUser(db, user.id)
  const isUnchanged = now?.status === 'active' && now.auth_epoch === user.auth_epoch && now.mfa_epoch === user.mfa_epoch
  if (!isUnchanged || findSession(db, actor.sessionId)?.revoked_at !== null) throw new AppError('invalid_token')
}

/** The subject of an audit event about the caller's own account. */
export const aboutOwnAccount = (actor: UserActor) => ({
  resourceType: 'user',
  resourceId: actor.userId,
  resourceName: actor.email,
  orgId: actor.orgId,
})

/**
 * Runs `work` and records its refusal, with the error code, as a denied `action`. Rate limits and ended sessions are not
 * recorded here: they have events of their own.
 */
export async function recordingRefusals<T>(
  audit: Audit,
  actor: UserActor,
  action: AuditAction,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError && recordedStatuses.has(error.status))
      audit(actor, { ...aboutOwnAccount(actor), action, details: { reason: error.code }, result: 'denied' })
    throw error
  }
}

const recordedStatuses = new Set([400, 403, 428])
