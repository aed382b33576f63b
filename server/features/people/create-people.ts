import type { FoundPerson } from '../../../shared/api/search.ts'
import type { Find } from '../../platform/http/searches.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { Access } from '../access/index.ts'
import type { Authentication } from '../authentication/index.ts'
import type { Messaging } from '../messaging/index.ts'
import { Avatars } from './avatars/avatars.ts'
import { avatarRoutes } from './avatars/routes.ts'
import { InvitationDelivery } from './invitations/invitation-delivery.ts'
import { Invitations } from './invitations/invitations.ts'
import { InvitationReplies } from './invitations/replies.ts'
import { invitationRoutes } from './invitations/routes.ts'
import { AccountChanges } from './members/account-changes.ts'
import { bestPeople } from './members/best-people.ts'
import { FactorReset } from './members/factor-reset.ts'
import { MembershipChanges } from './members/membership-changes.ts'
import { People } from './members/people.ts'
import { memberRoutes } from './members/routes.ts'
import { RoleChanges } from './roles/role-changes.ts'
import { Roles } from './roles/roles.ts'
import { roleRoutes } from './roles/routes.ts'

interface PeopleDependencies {
  access: Pick<Access, 'policy'>
  authentication: Pick<Authentication, 'sessions' | 'invitationLinks'>
  messaging: Pick<Messaging, 'mailer' | 'canSendMail' | 'writer'>
}

export interface PeopleServices {
  findPeople: Find<FoundPerson>
}

/** Users as administrators manage them: members, invitations, roles; and profile pictures. */
export function createPeople(
  { config, db, clock, audit, limits }: Services,
  needs: PeopleDependencies,
): Module<PeopleServices> {
  const { access, authentication, messaging } = needs
  const { sessions, invitationLinks } = authentication
  const { mailer, canSendMail, writer: mailWriter } = messaging
  const people = new People(db, access.policy)
  const changes = { db, clock, audit, people, sessions, invitationLinks }
  const { platformAdmins } = config
  const delivery = new InvitationDelivery({ ...changes, limits, mailer, mailWriter, canSendMail, platformAdmins })
  const services = {
    people,
    accountChanges: new AccountChanges(changes),
    membershipChanges: new MembershipChanges(changes),
    factorReset: new FactorReset({ ...changes, mailer }),
    invitations: new Invitations({ ...changes, limits, delivery }),
    invitationReplies: new InvitationReplies({ db, clock, audit, invitationLinks }),
    roles: new Roles(db),
    roleChanges: new RoleChanges(db, clock, audit),
  }
  const avatars = new Avatars({ db, clock, audit, limits })
  return {
    api: { findPeople: (actor, text, limit) => bestPeople(db, actor, text, limit) },
    routes: (http) => {
      memberRoutes(http, services)
      invitationRoutes(http, services)
      roleRoutes(http, services)
      avatarRoutes(http, avatars)
    },
  }
}
