import { randomUUIDv7 } from 'node:crypto'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Origin } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { aboutPerson, personOf } from '../../access/memberships/person.ts'
import { findUser, type Membership, type User } from '../../access/users/store.ts'
import type { InviteLinks } from '../../authentication/invitation-links/invitation-links.ts'

interface Wanted {
  email: string
  name: string
  /** Somebody confirmed that the address is theirs. */
  isVerified: boolean
  orgId: string
  roleId: string
}

interface Parts {
  db: Database
  clock: Clock
  audit: Audit
  inviteLinks: InviteLinks
}

/** Who comes in by the word of an identity provider and needs no link. Joins the transaction of their sign-in. */
export class Newcomers {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Makes an account without a password, and a member of the organization of it. */
  create({ email, name, isVerified, orgId, roleId }: Wanted): User {
    const { db, clock } = this.#parts
    const now = isoNow(clock)
    const id = randomUUIDv7()
    const stamps = { created_at: now, updated_at: now, email_verified_at: isVerified ? now : null }
    db.run(q.insertInto('users').values({ id, email, name, status: 'active', ...stamps }))
    const membership = { id: randomUUIDv7(), org_id: orgId, user_id: id, role_id: roleId, created_at: now }
    db.run(q.insertInto('organization_users').values(membership))
    return findUser(db, id) as User
  }

  /**
   * The account of somebody who was invited is theirs from now on; the link they were sent opens it no more.
   * `isVerified`: somebody confirmed that its address is theirs.
   */
  admit(user: User, membership: Membership, isVerified: boolean, origin: Origin): void {
    const { db, clock, audit, inviteLinks } = this.#parts
    const now = isoNow(clock)
    db.run(q.updateTable('users').set({ last_login_at: now }).where('id', '=', user.id))
    if (user.status !== 'invited') return
    inviteLinks.voidAll(user.id)
    const email_verified_at = user.email_verified_at ?? (isVerified ? now : null)
    db.run(
      q.updateTable('users').set({ status: 'active', email_verified_at, updated_at: now }).where('id', '=', user.id),
    )
    audit(personOf(user, membership, origin), {
      ...aboutPerson(user, membership),
      action: 'user.update',
      details: { previousStatus: user.status, newStatus: 'active' },
    })
  }
}
