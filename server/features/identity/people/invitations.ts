import { randomUUIDv7 } from 'node:crypto'
import type { z } from 'zod'
import type { inviteUser, resendInvite, tenantChoice } from '../../../../shared/api/people.ts'
import type { BodyOf, ReplyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { Mailer, MailWriter } from '../../messaging/index.ts'
import { placesOf } from '../memberships/places.ts'
import { findUser, findUserByEmail, type TenantMembership, type User } from '../store.ts'
import { roleToAssign } from './assignable-roles.ts'
import { isOperator, opensNoMoreThan } from './elsewhere.ts'
import { type InviteLinks, inviteLife } from './invite-links.ts'
import { aboutMember, type People } from './people.ts'
import { organizationReach, partnerReach, reachIn } from './reach.ts'
import { type Tenant, tenantMeant, tenantOf } from './tenants.ts'

type Choice = z.output<typeof tenantChoice>
type Wanted = BodyOf<typeof inviteUser>
type Delivery = Pick<ReplyOf<typeof resendInvite>, 'inviteEmailSent' | 'inviteUrl' | 'warning'>

const noMail = 'This appliance sends no mail.'

interface Parts {
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
  mailer: Mailer
  /** Whether mail leaves the appliance at all. */
  canSendMail: () => boolean
  linkTo: MailWriter['linkTo']
  inviteLinks: InviteLinks
  people: People
}

/** Making somebody a member of a tenant. An account that is there stays as it is; a new one is its owner's to finish. */
export class Invitations {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  invite(actor: UserActor, query: Choice, wanted: Wanted): ReplyOf<typeof inviteUser> {
    const { db, audit } = this.#parts
    return db.transaction(() => {
      const tenant = tenantOf(db, actor, tenantMeant(actor, query, wanted), 'let-in')
      const role = roleToAssign(db, actor, tenant, wanted.roleId)
      const user = this.#findOrCreate(actor, tenant, wanted)
      const membership = this.#join(actor, tenant, user, wanted)
      const delivery = this.#deliver(actor, user, membership.id)
      audit(actor, {
        ...aboutMember(user, membership),
        action: 'user.invite',
        details: { roleId: role.id, roleName: role.name, ...reachIn(membership), ...howSent(user, delivery) },
      })
      const { id, email, name, status } = user
      return { id, email, name, status, roleId: role.id, ...delivery }
    })
  }

  resend(actor: UserActor, query: Choice, userId: string): ReplyOf<typeof resendInvite> {
    const { db, audit, limits, people } = this.#parts
    return db.transaction(() => {
      tenantOf(db, actor, query, 'let-in')
      const { user, membership } = people.findToWrite(actor, userId, query)
      if (user.status !== 'invited') throw new AppError('user_not_invited')
      limits.consume('invite_resend', user.id)
      const delivery = this.#deliver(actor, user, membership.id)
      audit(actor, {
        ...aboutMember(user, membership),
        action: 'user.invite.resend',
        details: howSent(user, delivery),
      })
      return { success: true as const, ...delivery }
    })
  }

  #findOrCreate(actor: UserActor, tenant: Tenant, { email, name }: Wanted): User {
    const { db, limits } = this.#parts
    const user = findUserByEmail(db, email)
    if (!user) return this.#create(email, name)
    if (isMember(db, tenant, user.id)) throw new AppError('user_in_scope')
    if (user.status === 'disabled') throw new AppError('user_disabled')
    // With a membership an operator would not be one any more: that is not for somebody below them to do.
    if (user.is_platform_admin && !isOperator(actor)) throw new AppError('platform_admin_required')
    // Each time they are told by mail, and whoever is removed to be invited anew is signed out everywhere.
    limits.consume('invite_resend', `${user.id} ${tenant.kind === 'partner' ? tenant.partnerId : tenant.orgId}`)
    return user
  }

  #create(email: string, name: string): User {
    const { db, clock } = this.#parts
    const now = isoNow(clock)
    const row = { id: randomUUIDv7(), email, name, status: 'invited', created_at: now, updated_at: now } as const
    db.run(q.insertInto('users').values(row))
    return findUser(db, row.id) as User
  }

  #join(actor: UserActor, tenant: Tenant, user: User, wanted: Wanted): TenantMembership {
    const { db, clock } = this.#parts
    const row = { id: randomUUIDv7(), user_id: user.id, role_id: wanted.roleId, created_at: isoNow(clock) }
    if (tenant.kind === 'partner') {
      const partnerUser = { ...row, partner_id: tenant.partnerId, ...partnerReach(db, tenant, wanted) }
      db.run(q.insertInto('partner_users').values(partnerUser))
      return { kind: 'partner', ...partnerUser }
    }
    const organizationUser = { ...row, org_id: tenant.orgId, ...organizationReach(db, actor, tenant, wanted) }
    db.run(q.insertInto('organization_users').values(organizationUser))
    return { kind: 'organization', partner_id: tenant.partnerId, ...organizationUser }
  }

  /**
   * By mail. Where none leaves, the caller hands the link over, but for an account that may do more than they may: its
   * link would make that account theirs. The one that is out then stays good.
   */
  #deliver(actor: UserActor, user: User, membershipId: string): Delivery {
    const { db, mailer, canSendMail, linkTo, inviteLinks } = this.#parts
    const inviteEmailSent = canSendMail()
    const place = placesOf(db, user.id).find(({ id }) => id === membershipId)
    const data = { name: user.name, inviter: actor.name, place: place?.orgName ?? place?.partnerName ?? '' }
    if (user.status === 'active') {
      mailer.send({ kind: 'access-added', to: user.email, data })
      const warning = `${noMail} They had an account already: make sure that it is theirs, and tell them that they have access; they sign in as before.`
      return inviteEmailSent ? { inviteEmailSent } : { inviteEmailSent, warning }
    }
    if (!inviteEmailSent && !opensNoMoreThan(db, actor, user)) {
      const warning = `${noMail} They may do more than you may, so somebody else has to give them a link. One that is out opens this, too.`
      return { inviteEmailSent, warning }
    }
    const linkId = inviteLinks.issue(user.id, membershipId)
    mailer.send({ kind: 'invitation', to: user.email, data: { ...data, linkId }, lifeSeconds: inviteLife })
    if (inviteEmailSent) return { inviteEmailSent }
    const warning = `${noMail} Give them the link yourself: whoever has it chooses the password.`
    return { inviteEmailSent, inviteUrl: linkTo('invitation', linkId), warning }
  }
}

const howSent = ({ status }: User, { inviteEmailSent }: Delivery) => ({ status, inviteEmailSent })

const isMember = (db: Database, tenant: Tenant, userId: string): boolean =>
  placesOf(db, userId).some(({ partnerId, orgId }) =>
    tenant.kind === 'partner' ? partnerId === tenant.partnerId && orgId === null : orgId === tenant.orgId,
  )
