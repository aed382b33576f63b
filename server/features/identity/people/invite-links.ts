import { sql } from 'kysely'
import type { ErrorCode } from '../../../../shared/errors.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { iso } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { MailLinks } from '../mail-links.ts'
import { type Place, placesOf } from '../memberships/places.ts'
import { findUser, type User } from '../store.ts'

/** Seconds. */
export const inviteLife = 7 * 24 * 3600

interface Invite {
  membershipId: string
}

export interface OpenInvite {
  user: User
  /** What they are invited to. */
  place: Place
  expiresAt: string
}

/** Links with which somebody who was invited makes their account; one for each, and the newest only. */
export class InviteLinks {
  readonly #db: Database
  readonly #links: MailLinks

  constructor(db: Database, links: MailLinks) {
    this.#db = db
    this.#links = links
  }

  /** Returns the id that the mail names. */
  issue(userId: string, membershipId: string): string {
    this.void(userId)
    const payload: Invite = { membershipId }
    return this.#links.issue('invite', { userId, payload, lifeSeconds: inviteLife })
  }

  /** The link somebody was sent stops working. */
  void(userId: string): void {
    this.#db.run(this.#deleteOf(userId))
  }

  /** The same for one to a place they do not belong to any more: who gave it has no say in what else it would open. */
  voidBut(userId: string, places: readonly Place[]): void {
    const membershipIds = places.map(({ id }) => id)
    this.#db.run(this.#deleteOf(userId).where(sql`payload ->> 'membershipId'`, 'not in', membershipIds))
  }

  readonly #deleteOf = (userId: string) =>
    q.deleteFrom('one_time_secrets').where('kind', '=', 'invite').where('user_id', '=', userId)

  /** A link that was used stays on record until its time is over, so that its holder hears so. */
  open(token: string, refusals: { dead: ErrorCode; used: ErrorCode }): OpenInvite {
    const link = this.#links.open<Invite>('invite', token)
    const user = link?.userId && findUser(this.#db, link.userId)
    if (!link || !user || user.status === 'disabled') throw new AppError(refusals.dead)
    if (user.status === 'active') throw new AppError(refusals.used)
    const place = placesOf(this.#db, user.id).find(({ id }) => id === link.payload.membershipId)
    if (!place) throw new AppError(refusals.dead)
    return { user, place, expiresAt: iso(link.expiresAtMs) }
  }
}
