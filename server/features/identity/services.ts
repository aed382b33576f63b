import type { Profile } from './account/profile.ts'
import type { Totp } from './factors/totp.ts'
import type { PasskeySignIn } from './passkeys/passkey-sign-in.ts'
import type { PasskeyStepUp } from './passkeys/passkey-step-up.ts'
import type { Passkeys } from './passkeys/passkeys.ts'
import type { PasskeyRegistration } from './passkeys/registration.ts'
import type { RelyingParty } from './passkeys/relying-party.ts'
import type { FactorReset } from './people/factor-reset.ts'
import type { People } from './people/people.ts'
import type { SessionCookies } from './sessions/cookies.ts'
import type { Sessions } from './sessions/sessions.ts'
import type { Bootstrap } from './setup/bootstrap.ts'
import type { SecondStep } from './sign-in/second-step.ts'
import type { SignIn } from './sign-in/sign-in.ts'

/** What the routes of this feature call; `createIdentity` makes them. */
export interface IdentityServices {
  isTwoFactorEnabled: boolean
  bootstrap: Bootstrap
  cookies: SessionCookies
  passkeyRegistration: PasskeyRegistration
  passkeySignIn: PasskeySignIn
  passkeyStepUp: PasskeyStepUp
  passkeys: Passkeys
  factorReset: FactorReset
  people: People
  profile: Profile
  relyingParty: RelyingParty
  secondStep: SecondStep
  sessions: Sessions
  signIn: SignIn
  totp: Totp
}
