import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { AppError } from '../../../platform/errors.ts'
import { findSession, findUser, type User } from '../../access/users/store.ts'

/** The signed-in user, whose factors are concerned. */
export function ownerOf(db: Database, actor: UserActor): User {
  const user = findUser(db, actor.userId)
  if (!user) throw new AppError('invalid_token')
  return user
}

/**
 * Inside the transaction: hashing, signing and sending take their time, and what happened meanwhile - another device,
 * an administrator - may have ended this session.
 */
export function assertUnchanged(db: Database, actor: UserActor, user: User): void {
  const now = findUser(db, user.id)
  const isUnchanged = now?.status === 'active' && now.auth_epoch === user.auth_epoch && now.mfa_epoch === user.mfa_epoch
  if (!isUnchanged || findSession(db, actor.sessionId)?.revoked_at !== null) throw new AppError('invalid_token')
}

/** What an audit event on one's own account is about. */
export const aboutOwner = (actor: UserActor) => ({
  resourceType: 'user',
  resourceId: actor.userId,
  resourceName: actor.email,
  orgId: actor.orgId,
})

/** Records a refusal, and why, under `action`; running into a limit or out of the session is told elsewhere. */
export async function recordingRefusals<T>(
  audit: Audit,
  actor: UserActor,
  action: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError && told.has(error.status))
      audit(actor, { ...aboutOwner(actor), action, details: { reason: error.code }, result: 'denied' })
    throw error
  }
}

const told = new Set([400, 403, 428])
