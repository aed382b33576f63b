import type { Config } from '../../config/config.ts'
import type { Avatars } from './avatars/avatars.ts'
import type { Profile } from '../authentication/profile/profile.ts'
import type { ProfileChanges } from '../authentication/profile/profile-changes.ts'
import type { OwnFactors } from '../authentication/factors/own-factors.ts'
import type { Phone } from '../authentication/factors/phone.ts'
import type { StepUp } from '../authentication/factors/step-up.ts'
import type { Totp } from '../authentication/factors/totp.ts'
import type { Memberships } from '../authentication/memberships/memberships.ts'
import type { PasskeySignIn } from '../authentication/passkeys/passkey-sign-in.ts'
import type { PasskeyStepUp } from '../authentication/passkeys/passkey-step-up.ts'
import type { Passkeys } from '../authentication/passkeys/passkeys.ts'
import type { PasskeyRegistration } from '../authentication/passkeys/registration.ts'
import type { RelyingParty } from '../authentication/passkeys/relying-party.ts'
import type { PasswordChanges } from '../authentication/passwords/password-changes.ts'
import type { ResetLinks } from '../authentication/passwords/reset-links.ts'
import type { UnlockLinks } from '../authentication/passwords/unlock-links.ts'
import type { Acceptance } from '../authentication/invitation-acceptance/acceptance.ts'
import type { AccountChanges } from './members/account-changes.ts'
import type { FactorReset } from './members/factor-reset.ts'
import type { InvitationReplies } from './invitations/replies.ts'
import type { Invitations } from './invitations/invitations.ts'
import type { MembershipChanges } from './members/membership-changes.ts'
import type { People } from './members/people.ts'
import type { AddressLinks } from '../authentication/email-address/address-links.ts'
import type { Registration } from '../authentication/registration/registration.ts'
import type { Verification } from '../authentication/registration/verification.ts'
import type { RoleChanges } from './roles/role-changes.ts'
import type { Roles } from './roles/roles.ts'
import type { SessionCookies } from '../authentication/sessions/cookies.ts'
import type { OwnSessions } from '../authentication/sessions/own-sessions.ts'
import type { Rotation } from '../authentication/sessions/refresh-tokens.ts'
import type { Sessions } from '../authentication/sessions/sessions.ts'
import type { Bootstrap } from '../authentication/setup/bootstrap.ts'
import type { SecondStep } from '../authentication/sign-in/second-step.ts'
import type { SignIn } from '../authentication/sign-in/sign-in.ts'
import type { SignOut } from '../authentication/sign-in/sign-out.ts'

/** What the routes of this feature call; `createIdentity` makes them. */
export interface IdentityServices {
  isTwoFactorEnabled: boolean
  /** Whether mail leaves the appliance at all. */
  canSendMail: () => boolean
  registrationRules: Config['registration']
  addressLinks: AddressLinks
  avatars: Avatars
  bootstrap: Bootstrap
  cookies: SessionCookies
  ownFactors: OwnFactors
  passkeyRegistration: PasskeyRegistration
  passkeySignIn: PasskeySignIn
  passkeyStepUp: PasskeyStepUp
  passkeys: Passkeys
  factorReset: FactorReset
  people: People
  invitations: Invitations
  invitationReplies: InvitationReplies
  acceptance: Acceptance
  accountChanges: AccountChanges
  membershipChanges: MembershipChanges
  memberships: Memberships
  phone: Phone
  ownSessions: OwnSessions
  passwordChanges: PasswordChanges
  profile: Profile
  profileChanges: ProfileChanges
  registration: Registration
  relyingParty: RelyingParty
  resetLinks: ResetLinks
  unlockLinks: UnlockLinks
  roles: Roles
  roleChanges: RoleChanges
  secondStep: SecondStep
  rotation: Rotation
  sessions: Sessions
  signIn: SignIn
  signOut: SignOut
  stepUp: StepUp
  totp: Totp
  verification: Verification
}
