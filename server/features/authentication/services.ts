import type { Config } from '../../config/config.ts'
import type { Database } from '../../db/database.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Outbox } from '../../platform/outbox.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { Access } from '../access/index.ts'
import type { Messaging } from '../messaging/index.ts'
import type { NewPartners } from '../partners/index.ts'
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
  config: Config
  db: Database
  clock: Clock
  secrets: Secrets
  audit: Audit
  limits: RateLimits
  outbox: Outbox
  access: Pick<Access, 'policy' | 'allowlist'>
  messaging: Pick<Messaging, 'mailer' | 'sms' | 'canSendMail' | 'liveLinks'>
  newPartners: NewPartners
  /** Origins at which the appliance can be reached, best first. */
  addresses: () => string[]
  /** Is given every new setup code, to show it to the administrator. */
  onSetupCode: (code: string) => void
}

/** The services of this feature, in order of dependency. Each class names in its `Dependencies` what it takes of them. */
export function createServices(dependencies: AuthenticationDependencies) {
  const { config, db, clock, secrets, audit, limits } = dependencies
  const { policy, allowlist } = dependencies.access
  const { mailer, sms, canSendMail } = dependencies.messaging
  const shared = { ...dependencies, policy, allowlist, mailer, sms, canSendMail }
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
    relyingParty: new RelyingParty(config, dependencies.addresses),
    bootstrap: new Bootstrap({ ...base, setupCode: new SetupCode(config.dataDir, limits, dependencies.onSetupCode) }),
    completeSetup: (actor: UserActor) => completeSetup(db, clock, audit, actor),
  }
}

export type AuthenticationServices = ReturnType<typeof createServices>
