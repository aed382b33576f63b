import type { Config } from '../../config/config.ts'
import type { Avatars } from './account/avatars.ts'
import type { Profile } from './account/profile.ts'
import type { ProfileChanges } from './account/profile-changes.ts'
import type { OwnFactors } from './factors/own-factors.ts'
import type { Phone } from './factors/phone.ts'
import type { StepUp } from './factors/step-up.ts'
import type { Totp } from './factors/totp.ts'
import type { Memberships } from './memberships/memberships.ts'
import type { PasskeySignIn } from './passkeys/passkey-sign-in.ts'
import type { PasskeyStepUp } from './passkeys/passkey-step-up.ts'
import type { Passkeys } from './passkeys/passkeys.ts'
import type { PasskeyRegistration } from './passkeys/registration.ts'
import type { RelyingParty } from './passkeys/relying-party.ts'
import type { PasswordChanges } from './passwords/password-changes.ts'
import type { ResetLinks } from './passwords/reset-links.ts'
import type { UnlockLinks } from './passwords/unlock-links.ts'
import type { Acceptance } from './people/acceptance.ts'
import type { AccountChanges } from './people/account-changes.ts'
import type { FactorReset } from './people/factor-reset.ts'
import type { InvitationReplies } from './people/invitation-replies.ts'
import type { Invitations } from './people/invitations.ts'
import type { MembershipChanges } from './people/membership-changes.ts'
import type { People } from './people/people.ts'
import type { AddressLinks } from './registration/address-links.ts'
import type { Registration } from './registration/registration.ts'
import type { Verification } from './registration/verification.ts'
import type { RoleChanges } from './roles/role-changes.ts'
import type { Roles } from './roles/roles.ts'
import type { SessionCookies } from './sessions/cookies.ts'
import type { OwnSessions } from './sessions/own-sessions.ts'
import type { Rotation } from './sessions/rotation.ts'
import type { Sessions } from './sessions/sessions.ts'
import type { Bootstrap } from './setup/bootstrap.ts'
import type { SecondStep } from './sign-in/second-step.ts'
import type { SignIn } from './sign-in/sign-in.ts'
import type { SignOut } from './sign-in/sign-out.ts'

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
