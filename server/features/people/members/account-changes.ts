import type { updateUser } from '../../../../shared/api/people.ts'
import type { BodyOf, ReplyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError, fieldError } from '../../../platform/errors.ts'
import { changeOf, differing } from '../../../platform/updates.ts'
import type { Sessions } from '../../authentication/sessions/sessions.ts'
import { findHomePartner, findUser, type User } from '../../access/users/store.ts'
import type { InviteLinks } from '../../authentication/invitation-links/invitation-links.ts'

type Wanted = BodyOf<typeof updateUser>

interface Parts {
  db: Database
  clock: Clock
  audit: Audit
  sessions: Sessions
  inviteLinks: InviteLinks
}

/** What an operator changes on an account, wherever it belongs. */
export class AccountChanges {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** With another status every session ends; an invitation that waits is void, and so is the wish for another address. */
  update(actor: UserActor, id: string, wanted: Wanted): ReplyOf<typeof updateUser> {
    if (Object.values(wanted).every((value) => value === undefined)) throw new AppError('no_updates')
    const { db, clock, audit, sessions, inviteLinks } = this.#parts
    return db.transaction(() => {
      const user = findUser(db, id)
      if (!user) throw new AppError('user_not_found')
      const next = changed(user, wanted)
      const { name, status, disabled_reason, auth_epoch, pending_email, pending_email_requested_at } = next
      if (user.status !== status) {
        if (user.status === 'active') this.#assertNotLastPlatformAdmin(user)
        sessions.revokeAll(id, 'status-changed')
        inviteLinks.voidAll(id)
      }
      const columns = { name, status, disabled_reason, auth_epoch, pending_email, pending_email_requested_at }
      db.run(
        q
          .updateTable('users')
          .set({ ...columns, updated_at: isoNow(clock) })
          .where('id', '=', id),
      )
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

  /** Nobody could look after the appliance any more. */
  #assertNotLastPlatformAdmin({ id, is_platform_admin }: User): void {
    if (!is_platform_admin) return
    const other = q
      .selectFrom('users')
      .select('id')
      .where('is_platform_admin', '=', 1)
      .where('status', '=', 'active')
      .where('id', '!=', id)
    if (!this.#parts.db.first(other)) throw new AppError('last_platform_admin')
  }
}

/** What an operator changes, in the words of the contract. */
const accountOf = ({ name, status, disabled_reason: disabledReason }: User) => ({ name, status, disabledReason })

function changed(user: User, { name = user.name, status = user.status, disabledReason }: Wanted): User {
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
      // Whoever had to be shut out may have asked to move the address: that would be their way back in.
      pending_email: null,
      pending_email_requested_at: null,
    }),
  }
}
