/** What an identity provider said of somebody, verified, and mapped as the provider is configured. */
export interface Assertion {
  subject: string
  /** In lower case. */
  email: string
  name: string
  /** `absent`: the provider does not say whether the address is theirs. One that is not, gets nobody this far. */
  emailState: 'verified' | 'absent'
  /** The ID token says that a second factor was shown. */
  sawSecondFactor: boolean
  /** JSON of all it said; null for more than the column is to hold. */
  profile: string | null
  /** Null, as the next one, for more than is kept of it. */
  accessToken: string | null
  refreshToken: string | null
  tokenExpiresAt: string | null
}
