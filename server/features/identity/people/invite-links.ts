import { sql } from 'kysely'
import type { ErrorCode } from '../../../../shared/errors/index.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Clock, iso, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { MailLinks } from '../mail-links.ts'
import { type Place, placeOffered, placesOf } from '../memberships/places.ts'
import { findUser, type User } from '../store.ts'
import { findOpenInvitation, type Invitation } from './invitation-store.ts'

/** Seconds. */
export const inviteLife = 7 * 24 * 3600

interface InviteLink {
  /** Of a membership that waits for its account, or of an invitation that becomes one. */
  membershipId: string
  /** It was mailed: who has it reads the mail of that address. */
  isMailed: boolean
  /** It only accepts, and sets no password: the account is one that others may have made. Missing in older links. */
  needsSignIn?: boolean
}

export interface OpenInvite {
  user: User
  /** What they are invited to. */
  place: Place
  expiresAt: string
  membershipId: string
  /** Null for an account that has yet to be made: its membership is there already. */
  invitation: Invitation | null
  isMailed: boolean
  needsSignIn: boolean
}

/** Links that people are invited with; for each membership or invitation the newest only. */
export class InviteLinks {
  readonly #db: Database
  readonly #clock: Clock
  readonly #links: MailLinks

  constructor(db: Database, clock: Clock, links: MailLinks) {
    this.#db = db
    this.#clock = clock
    this.#links = links
  }

  /** Returns the id that the mail names. */
  issue(userId: string, payload: InviteLink): string {
    this.voidOf(payload.membershipId, userId)
    return this.#links.issue('invite', { userId, payload, lifeSeconds: inviteLife })
  }

  /** Every link of an account stops working. */
  voidAll(userId: string): void {
    this.#db.run(deleteOf(userId))
  }

  /** The link to one tenant stops working; those of others are not for its administrators to end. */
  voidOf(membershipId: string, userId: string): void {
    this.#db.run(deleteOf(userId).where(sql`payload ->> 'membershipId'`, '=', membershipId))
  }

  /**
   * A link that was used stays on record until its time is over, so that its holder hears so.
   * @throws AppError `dead` or `used` of `refusals`
   */
  open(token: string, refusals: { dead: ErrorCode; used: ErrorCode }): OpenInvite {
    const link = this.#links.open<InviteLink>('invite', token)
    const user = link?.userId && findUser(this.#db, link.userId)
    if (!link || !user || user.status === 'disabled') throw new AppError(refusals.dead)
    const { membershipId, isMailed, needsSignIn = false } = link.payload
    const expiresAt = iso(link.expiresAtMs)
    const opened = { user, membershipId, isMailed, needsSignIn: needsSignIn || user.status === 'active', expiresAt }
    const place = placesOf(this.#db, user.id).find(({ id }) => id === membershipId)
    if (place && user.status === 'active') throw new AppError(refusals.used)
    if (place) return { ...opened, place, invitation: null }
    const invitation = findOpenInvitation(this.#db, user.id, membershipId, isoNow(this.#clock))
    const offered = invitation && placeOffered(this.#db, invitation)
    if (!offered) throw new AppError(refusals.dead)
    return { ...opened, place: offered, invitation }
  }

  /** The invitation of this account that a link leads to; undefined for any other link. */
  findInvitation(token: string, userId: string): (Invitation & { isMailed: boolean }) | undefined {
    const link = this.#links.open<InviteLink>('invite', token)
    if (link?.userId !== userId) return undefined
    const { membershipId, isMailed } = link.payload
    const invitation = findOpenInvitation(this.#db, userId, membershipId, isoNow(this.#clock))
    return invitation && { ...invitation, isMailed }
  }
}

const deleteOf = (userId: string) =>
  q.deleteFrom('one_time_secrets').where('kind', '=', 'invite').where('user_id', '=', userId)
