import type { updateUser as updateUserEndpoint } from '../../../../shared/api/people.ts'
import type { BodyOf, ReplyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError, fieldError } from '../../../platform/errors.ts'
import { changeOf, differing } from '../../../platform/updates.ts'
import { findHomePartner, findUser, isLastPlatformAdmin, type User, updateUser } from '../../access/index.ts'
import type { InvitationLinks, Sessions } from '../../authentication/index.ts'

type AccountUpdate = BodyOf<typeof updateUserEndpoint>

interface Dependencies {
  db: Database
  clock: Clock
  audit: Audit
  sessions: Sessions
  invitationLinks: InvitationLinks
}

/** Changes to an account by an operator of the appliance, whatever tenants it belongs to. */
export class AccountChanges {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /**
   * A change of status ends all sessions, invalidates invitation links and cancels a pending change of address.
   * @throws AppError `no_updates`, `user_not_found`, `last_platform_admin`, `validation_failed`
   */
  update(actor: UserActor, id: string, update: AccountUpdate): ReplyOf<typeof updateUserEndpoint> {
    if (Object.values(update).every((value) => value === undefined)) throw new AppError('no_updates')
    const { db, clock, audit, sessions, invitationLinks } = this.#dependencies
    return db.transaction(() => {
      const user = findUser(db, id)
      if (!user) throw new AppError('user_not_found')
      const next = changed(user, update)
      const { name, status, disabled_reason, auth_epoch, pending_email, pending_email_requested_at } = next
      if (user.status !== status) {
        if (user.status === 'active' && isLastPlatformAdmin(db, user)) throw new AppError('last_platform_admin')
        sessions.revokeAll(id, 'status-changed')
        invitationLinks.voidAll(id)
      }
      const columns = { name, status, disabled_reason, auth_epoch, pending_email, pending_email_requested_at }
      updateUser(db, id, { ...columns, updated_at: isoNow(clock) })
      const [before, after] = [accountOf(user), accountOf(next)]
      audit(actor, {
        action: 'user.update',
        resourceType: 'user',
        resourceId: id,
        resourceName: user.email,
        partnerId: findHomePartner(db, id) ?? null,
        details: {
          ...changeOf(differing(before, after), before, after),
          previousStatus: user.status,
          newStatus: status,
        },
      })
      return { id, email: user.email, ...after }
    })
  }
}

/** The fields an operator can change, with the names of the contract. */
const accountOf = ({ name, status, disabled_reason: disabledReason }: User) => ({ name, status, disabledReason })

function changed(user: User, { name = user.name, status = user.status, disabledReason }: AccountUpdate): User {
  if (disabledReason && status !== 'disabled')
    throw fieldError('disabledReason', 'Only an account that is disabled has a reason for it')
  return {
    ...user,
    name,
    status,
    disabled_reason:
      status === 'disabled' && disabledReason === undefined ? user.disabled_reason : (disabledReason ?? null),
    ...(status !== user.status && {
      auth_epoch: user.auth_epoch + 1,
      // Somebody who had to be shut out may have asked for this change, to get back in.
      pending_email: null,
      pending_email_requested_at: null,
    }),
  }
}
