import type { UserActor } from '../../platform/actor.ts'
import type { Services } from '../../platform/services.ts'
import type { Access } from '../access/index.ts'
import type { Messaging } from '../messaging/index.ts'
import { NewPartners } from '../partners/index.ts'
import { AddressLinks } from './email-address/address-links.ts'
import { createFactors } from './factors/create-factors.ts'
import { InvitationAcceptance } from './invitation-acceptance/invitation-acceptance.ts'
import { InvitationLinks } from './invitation-links/invitation-links.ts'
import { OwnMemberships } from './memberships/own-memberships.ts'
import { MailLinks } from './one-time-secrets/mail-links.ts'
import { OneTimeSecrets } from './one-time-secrets/one-time-secrets.ts'
import { Assertions } from './passkeys/assertions.ts'
import { Ceremonies } from './passkeys/ceremonies.ts'
import { createPasskeys } from './passkeys/create-passkeys.ts'
import { PasskeyStepUp } from './passkeys/passkey-step-up.ts'
import { createPasswords } from './passwords/create-passwords.ts'
import { Profile } from './profile/profile.ts'
import { ProfileChanges } from './profile/profile-changes.ts'
import { createRegistration } from './registration/create-registration.ts'
import { RelyingParty } from './relying-party/relying-party.ts'
import { createSessions } from './sessions/create-sessions.ts'
import { Bootstrap } from './setup/bootstrap.ts'
import { SetupCode } from './setup/setup-code.ts'
import { completeSetup } from './setup/setup-completion.ts'
import { createSignIn } from './sign-in/create-sign-in.ts'

export interface AuthenticationNeeds {
  access: Pick<Access, 'policy' | 'allowlist'>
  messaging: Pick<Messaging, 'mailer' | 'sms' | 'canSendMail' | 'liveLinks'>
  /** Is given every new setup code, to show it to the administrator. */
  onSetupCode?: ((code: string) => void) | undefined
}

/** The services of this feature, in order of dependency. Each class names in its `Dependencies` what it takes of them. */
export function createAuthenticationServices(services: Services, needs: AuthenticationNeeds) {
  const { config, db, clock, secrets, audit, limits } = services
  const { policy, allowlist } = needs.access
  const { mailer, sms, canSendMail } = needs.messaging
  const newPartners = new NewPartners(db, clock, audit)
  const shared = { ...services, ...needs, newPartners, policy, allowlist, mailer, sms, canSendMail }
  const oneTimeSecrets = new OneTimeSecrets(db, clock)
  const mailLinks = new MailLinks(oneTimeSecrets, secrets)
  const sessions = createSessions(shared)
  const passwords = createPasswords({ ...shared, ...sessions, mailLinks })
  const invitationLinks = new InvitationLinks(db, clock, mailLinks)
  const ceremonies = new Ceremonies(oneTimeSecrets)
  const assertions = new Assertions(db, clock, ceremonies)
  const passkeyStepUp = new PasskeyStepUp(db, limits, assertions)
  const factors = createFactors({ ...shared, ...sessions, ...passwords, oneTimeSecrets, passkeys: passkeyStepUp })
  const signIns = createSignIn({ ...shared, ...sessions, ...passwords, ...factors, oneTimeSecrets, invitationLinks })
  const base = { ...shared, ...sessions, ...passwords, ...factors, ...signIns, mailLinks, invitationLinks }
  const addressLinks = new AddressLinks(base)
  const { signInFloorMs, isTwoFactorEnabled } = config
  return {
    ...base,
    ...createPasskeys({ ...base, ceremonies, assertions, signInFloorMs }),
    ...createRegistration(base),
    passkeyStepUp,
    addressLinks,
    invitationAcceptance: new InvitationAcceptance(base),
    memberships: new OwnMemberships(base),
    profile: new Profile(db, policy, isTwoFactorEnabled),
    profileChanges: new ProfileChanges({ ...base, addressLinks, isTwoFactorEnabled }),
    relyingParty: new RelyingParty(config, services.addresses),
    bootstrap: new Bootstrap({
      ...base,
      setupCode: new SetupCode(config.dataDir, limits, (code) => needs.onSetupCode?.(code)),
    }),
    completeSetup: (actor: UserActor) => completeSetup(db, clock, audit, actor),
  }
}

export type AuthenticationServices = ReturnType<typeof createAuthenticationServices>
