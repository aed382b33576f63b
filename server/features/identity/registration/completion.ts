import { randomUUIDv7 } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Origin, PersonActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import type { NewPartners, PartnerView } from '../../partners/index.ts'
import type { MailLink } from '../mail-links.ts'
import { createOwnAdminRole } from '../roles/built-in.ts'
import type { SignedIn, SignIn } from '../sign-in/sign-in.ts'
import { findUserByEmail, type User } from '../store.ts'
import type { PartnerUserTable } from '../tables.ts'
import type { CompanyNews } from './company-news.ts'
import { DeadLink } from './dead-link.ts'
import type { PendingRegistration } from './registration.ts'

type Link = MailLink<PendingRegistration>

interface Parts {
  db: Database
  clock: Clock
  audit: Audit
  newPartners: NewPartners
  signIn: SignIn
  news: CompanyNews
  isEnabled: boolean
}

/** Turns a registration whose link was followed into a company and its first user, who is signed in. */
export class Completion {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Null when the address has found an account in the meantime. */
  async complete(link: Link, origin: Origin): Promise<{ signedIn: SignedIn; partner: PartnerView } | null> {
    if (!this.#parts.isEnabled) throw new DeadLink('registration_disabled')
    if (this.#isOvertaken(link)) return null
    const user = this.#draft(link.payload)
    const row = this.#draftMembership(user)
    const membership = { kind: 'partner', ...row } as const
    const means = { method: 'registration', source: null } as const
    let partner!: PartnerView
    try {
      const signedIn = await this.#parts.signIn.complete(user, membership, origin, means, (actor) => {
        partner = this.#save(link, user, row, actor)
      })
      return { signedIn, partner }
    } catch (error) {
      if (this.#isOvertaken(link)) return null
      throw error
    }
  }

  /** Uses the link up if so. */
  #isOvertaken(link: Link): boolean {
    const { db } = this.#parts
    return db.transaction(() => findUserByEmail(db, link.payload.email) !== undefined && link.consume())
  }

  #save(link: Link, user: User, membership: Selectable<PartnerUserTable>, actor: PersonActor): PartnerView {
    const { db, audit, newPartners, news } = this.#parts
    const { companyName, termsAcceptedAt } = link.payload
    if (!link.consume()) throw new DeadLink('used')
    if (findUserByEmail(db, user.email)) throw new DeadLink('address_taken')
    const wanted = { id: membership.partner_id, name: companyName, type: 'msp', plan: 'free' } as const
    const partner = newPartners.create({ ...wanted, billing_email: user.email }, actor)
    createOwnAdminRole(db, membership.role_id, partner.id, user.created_at)
    db.run(q.insertInto('users').values(user))
    db.run(q.insertInto('partner_users').values(membership))
    audit(actor, {
      action: 'auth.email_verified',
      resourceType: 'user',
      resourceId: user.id,
      resourceName: user.email,
      details: { purpose: 'registration', termsAcceptedAt },
    })
    news.tell(link.payload)
    return partner
  }

  #draftMembership(user: User): Selectable<PartnerUserTable> {
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

  #draft({ email, name, passwordHash }: PendingRegistration): User {
    const now = isoNow(this.#parts.clock)
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
      preferences: '{}',
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
