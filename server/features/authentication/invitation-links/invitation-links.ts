import type { ErrorCode } from '../../../../shared/errors/index.ts'
import type { Database } from '../../../db/database.ts'
import { type Clock, iso, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import {
  findOpenInvitation,
  findUser,
  type Invitation,
  invitationDetails,
  invitationLifeSeconds,
  type MembershipDetails,
  membershipDetailsOf,
  type User,
} from '../../access/index.ts'
import type { MailLinks } from '../one-time-secrets/mail-links.ts'
import type { InvitationLink } from '../one-time-secrets/secret-payloads.ts'

export interface OpenInvitationLink {
  user: User
  /** The membership they are invited to. */
  details: MembershipDetails
  expiresAt: string
  membershipId: string
  /** Null for an account that is yet to be activated: it has the membership already. */
  invitation: Invitation | null
  isMailed: boolean
  needsSignIn: boolean
}

/** Links in invitations. Of each membership or invitation only what was issued last works. */
export class InvitationLinks {
  readonly #db: Database
  readonly #clock: Clock
  readonly #links: MailLinks

  constructor(db: Database, clock: Clock, links: MailLinks) {
    this.#db = db
    this.#clock = clock
    this.#links = links
  }

  /** @returns the id of the link, for the mail */
  issue(userId: string, payload: InvitationLink): string {
    this.voidOf(payload.membershipId, userId)
    return this.issueAnother(userId, payload)
  }

  /** Beside the one there is, which goes on to work. */
  issueAnother(userId: string, payload: InvitationLink): string {
    return this.#links.issue('invite', { userId, payload, lifeSeconds: invitationLifeSeconds })
  }

  /** All invitation links of an account stop working. */
  voidAll(userId: string): void {
    this.#links.withdraw('invite', userId)
  }

  /** The link to one tenant stops working. Links to others stay: its administrators have no say about them. */
  voidOf(membershipId: string, userId: string): void {
    this.#links.withdraw('invite', userId, { field: 'membershipId', value: membershipId })
  }

  /**
   * A used link is kept until it expires, so that its holder can be told that it was used.
   * @throws AppError `refusals.invalid` or `refusals.used`
   */
  open(token: string, refusals: { invalid: ErrorCode; used: ErrorCode }): OpenInvitationLink {
    const link = this.#links.open('invite', token)
    const user = link?.userId && findUser(this.#db, link.userId)
    if (!link || !user || user.status === 'disabled') throw new AppError(refusals.invalid)
    const { membershipId, isMailed, needsSignIn = false } = link.payload
    const expiresAt = iso(link.expiresAtMs)
    const opened = { user, membershipId, isMailed, needsSignIn: needsSignIn || user.status === 'active', expiresAt }
    const details = membershipDetailsOf(this.#db, user.id).find(({ id }) => id === membershipId)
    if (details && user.status === 'active') throw new AppError(refusals.used)
    if (details) return { ...opened, details, invitation: null }
    const invitation = findOpenInvitation(this.#db, user.id, membershipId, isoNow(this.#clock))
    const offered = invitation && invitationDetails(this.#db, invitation)
    if (!offered) throw new AppError(refusals.invalid)
    return { ...opened, details: offered, invitation }
  }

  /** The open invitation of this account that a link is for; undefined for any other link. */
  findInvitation(token: string, userId: string): (Invitation & { isMailed: boolean }) | undefined {
    const link = this.#links.open('invite', token)
    if (link?.userId !== userId) return undefined
    const { membershipId, isMailed } = link.payload
    const invitation = findOpenInvitation(this.#db, userId, membershipId, isoNow(this.#clock))
    return invitation && { ...invitation, isMailed }
  }
}
