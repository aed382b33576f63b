import type { UserActor } from '../../platform/actor.ts'
import { PublicAddressChanges } from '../../platform/public-address-changes.ts'
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

export interface AuthenticationDependencies {
  access: Pick<Access, 'policy' | 'allowlist'>
  messaging: Pick<Messaging, 'mailer' | 'sms' | 'mailDelivery' | 'liveLinks'>
  /** Is given every new setup code, to show it to the administrator. */
  onSetupCode?: ((code: string) => void) | undefined
}

/** The services of this feature by subject, made in order of dependency. Each class names in its `Dependencies` what it needs. */
export function createAuthenticationServices(platform: Services, dependencies: AuthenticationDependencies) {
  const { config, db, clock, secrets, audit, limits } = platform
  const { policy, allowlist } = dependencies.access
  const { mailer, sms, mailDelivery } = dependencies.messaging
  const { signInFloorMs, isTwoFactorEnabled } = config
  const newPartners = new NewPartners(db, clock, audit)
  const oneTimeSecrets = new OneTimeSecrets(db, clock)
  const mailLinks = new MailLinks(oneTimeSecrets, secrets)
  const invitationLinks = new InvitationLinks(db, clock, mailLinks)
  const base = { ...platform, policy, allowlist, mailer, sms, oneTimeSecrets, mailLinks, invitationLinks }

  const sessions = createSessions(base)
  const passwords = createPasswords({ ...base, ...sessions })
  const ceremonies = new Ceremonies(oneTimeSecrets)
  const assertions = new Assertions(db, clock, ceremonies)
  const passkeyStepUp = new PasskeyStepUp(db, limits, assertions)
  const factors = createFactors({ ...base, ...sessions, ...passwords, passkeys: passkeyStepUp })
  const signIn = createSignIn({ ...base, ...sessions, ...passwords, ...factors })
  const passkeys = createPasskeys({ ...base, ...factors, ...signIn, ceremonies, assertions, signInFloorMs })
  const registration = createRegistration({ ...base, ...sessions, ...signIn, newPartners })
  const addressLinks = new AddressLinks({ ...base, mailDelivery })
  return {
    sessions,
    passwords,
    factors,
    signIn,
    passkeys: { ...passkeys, passkeyStepUp },
    registration: { ...registration, config, mailDelivery },
    account: {
      addressLinks,
      memberships: new OwnMemberships({ ...base, ...sessions }),
      profile: new Profile(db, policy, isTwoFactorEnabled),
      profileChanges: new ProfileChanges({ ...base, ...factors, addressLinks, isTwoFactorEnabled }),
    },
    invitations: { links: invitationLinks, acceptance: new InvitationAcceptance({ ...base, ...signIn }) },
    relyingParty: new RelyingParty(config, platform.publicAddress.origin, platform.addresses),
    setup: {
      bootstrap: new Bootstrap({
        ...base,
        ...sessions,
        ...registration,
        newPartners,
        publicAddressChanges: new PublicAddressChanges(platform),
        setupCode: new SetupCode(config.dataDir, limits, (code) => dependencies.onSetupCode?.(code)),
      }),
      completeSetup: (actor: UserActor) => completeSetup(db, clock, audit, actor),
    },
  }
}

export type AuthenticationServices = ReturnType<typeof createAuthenticationServices>
