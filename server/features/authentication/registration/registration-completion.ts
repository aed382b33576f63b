import { randomUUIDv7 } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { toJson } from '../../../lib/json.ts'
import type { Origin, PersonActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import type { Tables } from '../../../tables.ts'
import {
  createOwnAdminRole,
  findUserByEmail,
  insertPartnerMembership,
  insertUser,
  type User,
} from '../../access/index.ts'
import type { NewPartners, PartnerView } from '../../partners/index.ts'
import { InvalidLink } from '../email-address/invalid-link.ts'
import type { MailLink } from '../one-time-secrets/mail-links.ts'
import type { PendingRegistration } from '../one-time-secrets/secret-payloads.ts'
import type { SignedIn, SignIn } from '../sign-in/sign-in.ts'
import type { RegistrationNotices } from './registration-notices.ts'

type Link = MailLink<'pending_registration'>

interface Dependencies {
  db: Database
  clock: Clock
  audit: Audit
  newPartners: NewPartners
  signIn: SignIn
  notices: RegistrationNotices
  /** Whether registrations are accepted. */
  isOpen: () => boolean
}

/** Creates partner and first user from a registration whose link was followed, and signs the user in. */
export class RegistrationCompletion {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Null where there is an account with that address by now.
   * @throws InvalidLink
   */
  async complete(link: Link, origin: Origin): Promise<{ signedIn: SignedIn; partner: PartnerView } | null> {
    if (!this.#dependencies.isOpen()) throw new InvalidLink('registration_disabled')
    if (this.#isAddressTaken(link)) return null
    const user = this.#newUser(link.payload)
    const row = this.#newMembership(user)
    const membership = { kind: 'partner', ...row } as const
    const method = { method: 'registration', source: null } as const
    let partner!: PartnerView
    try {
      const signedIn = await this.#dependencies.signIn.complete(user, membership, origin, method, (actor) => {
        partner = this.#save(link, user, row, actor)
      })
      return { signedIn, partner }
    } catch (error) {
      if (this.#isAddressTaken(link)) return null
      throw error
    }
  }

  /** Uses the link up if there is an account with its address. */
  #isAddressTaken(link: Link): boolean {
    const { db } = this.#dependencies
    return db.transaction(() => findUserByEmail(db, link.payload.email) !== undefined && link.consume())
  }

  #save(link: Link, user: User, membership: Selectable<Tables['partner_users']>, actor: PersonActor): PartnerView {
    const { db, audit, newPartners, notices } = this.#dependencies
    const { companyName, termsAcceptedAt } = link.payload
    if (!link.consume()) throw new InvalidLink('used')
    if (findUserByEmail(db, user.email)) throw new InvalidLink('address_taken')
    const values = { id: membership.partner_id, name: companyName, type: 'msp', plan: 'free' } as const
    const partner = newPartners.create({ ...values, billing_email: user.email }, actor)
    createOwnAdminRole(db, membership.role_id, partner.id, user.created_at)
    insertUser(db, user)
    insertPartnerMembership(db, membership)
    audit(actor, {
      action: 'auth.email_verified',
      resourceType: 'user',
      resourceId: user.id,
      resourceName: user.email,
      details: { purpose: 'registration', termsAcceptedAt },
    })
    notices.send(link.payload)
    return partner
  }

  #newMembership(user: User): Selectable<Tables['partner_users']> {
    return {
      id: randomUUIDv7(),
      partner_id: randomUUIDv7(),
      user_id: user.id,
      role_id: randomUUIDv7(),
      org_access: 'all',
      org_ids: null,
      created_at: user.created_at,
      updated_at: user.updated_at,
    }
  }

  #newUser({ email, name, passwordHash }: PendingRegistration): User {
    const now = isoNow(this.#dependencies.clock)
    return {
      id: randomUUIDv7(),
      email,
      name,
      password_hash: passwordHash,
      password_changed_at: now,
      status: 'active',
      disabled_reason: null,
      email_verified_at: now,
      setup_completed_at: now,
      last_login_at: now,
      created_at: now,
      updated_at: now,
      preferences: toJson({}),
      avatar_url: null,
      is_platform_admin: 0,
      phone_number: null,
      phone_verified: 0,
      mfa_secret: null,
      mfa_enabled: 0,
      mfa_method: null,
      mfa_recovery_codes: null,
      mfa_enrollment_grace_granted_at: null,
      mfa_enrollment_deadline: null,
      mfa_enrollment_notice_sent_at: null,
      mfa_enrollment_reminded_at: null,
      mfa_reset_at: null,
      pending_email: null,
      pending_email_requested_at: null,
      auth_epoch: 1,
      mfa_epoch: 1,
      email_epoch: 1,
      last_membership_id: null,
      password_reset_epoch: 1,
    }
  }
}
