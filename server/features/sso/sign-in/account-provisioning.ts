import { randomUUIDv7 } from 'node:crypto'
import type { Database } from '../../../db/database.ts'
import type { Origin } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import {
  aboutPerson,
  getUser,
  insertOrganizationMembership,
  insertUser,
  type Membership,
  personActor,
  type User,
  updateUser,
} from '../../access/index.ts'
import type { InvitationLinks } from '../../authentication/index.ts'

interface NewAccount {
  email: string
  name: string
  /** Whether the address counts as confirmed. */
  isVerified: boolean
  orgId: string
  roleId: string
}

interface Dependencies {
  db: Database
  clock: Clock
  audit: Audit
  invitationLinks: InvitationLinks
}

/** Creates and activates accounts of users whom an identity provider vouches for, in the transaction of their sign-in. */
export class AccountProvisioning {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** Creates an account without a password, with a membership in the organization. */
  create({ email, name, isVerified, orgId, roleId }: NewAccount): User {
    const { db, clock } = this.#dependencies
    const now = isoNow(clock)
    const id = randomUUIDv7()
    const stamps = { created_at: now, updated_at: now, email_verified_at: isVerified ? now : null }
    insertUser(db, { id, email, name, status: 'active', ...stamps })
    const membership = { id: randomUUIDv7(), org_id: orgId, user_id: id, role_id: roleId, created_at: now }
    insertOrganizationMembership(db, membership)
    return getUser(db, id)
  }

  /**
   * Records the sign-in, and activates an account that was invited; its invitation links stop working.
   * @param isVerified whether the assertion proves the address of the account
   */
  activate(user: User, membership: Membership, isVerified: boolean, origin: Origin): void {
    const { db, clock, audit, invitationLinks } = this.#dependencies
    const now = isoNow(clock)
    updateUser(db, user.id, { last_login_at: now })
    if (user.status !== 'invited') return
    invitationLinks.voidAll(user.id)
    const email_verified_at = user.email_verified_at ?? (isVerified ? now : null)
    updateUser(db, user.id, { status: 'active', email_verified_at, updated_at: now })
    audit(personActor(user, membership, origin), {
      ...aboutPerson(user, membership),
      action: 'user.update',
      details: { previousStatus: user.status, newStatus: 'active' },
    })
  }
}
