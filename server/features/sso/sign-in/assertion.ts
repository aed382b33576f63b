/** The verified claims of an identity provider about a user, mapped as the provider is configured. */
export interface Assertion {
  subject: string
  /** In lower case. */
  email: string
  name: string
  /** `absent`: the provider does not say whether the address is verified. An unverified one is refused before. */
  emailState: 'verified' | 'absent'
  /** The ID token says that a second factor was used (`amr` contains `mfa`). */
  sawSecondFactor: boolean
  /** All claims as JSON; null where they exceed the size limit of the column. */
  profile: string | null
  /** This and the refresh token are null where they exceed the size limit. */
  accessToken: string | null
  refreshToken: string | null
  tokenExpiresAt: string | null
}
