import type { DefaultRoleProblem, SsoProvider, SsoProviderStatus } from '../../../shared/api/sso-providers.ts'
import type { Tone } from '../../ui/status-dot.tsx'

export const providerStatusNames: Record<SsoProviderStatus, { word: string; tone: Tone; meaning: string }> = {
  inactive: { word: 'Off', tone: 'idle', meaning: 'Hidden, and nobody can sign in with it.' },
  testing: {
    word: 'Testing',
    tone: 'busy',
    meaning:
      'Not shown on the sign-in page. People can connect their own account in their profile, under “Security”, to try it out.',
  },
  active: { word: 'On', tone: 'good', meaning: 'People can sign in with it.' },
}

export const defaultRoleProblems: Record<DefaultRoleProblem, string> = {
  default_role_missing: 'No role is chosen, or the role was deleted',
  default_role_configurer_unknown: 'The person who chose the role no longer has an account here',
  default_role_configurer_inactive: 'The account of the person who chose the role is no longer active',
  default_role_configurer_no_permissions: 'The person who chose the role no longer manages this organization',
  default_role_exceeds_configurer_permissions: 'The role has permissions that the person who chose it no longer has',
}

/** By discovery or by hand. */
export const areAddressesKnown = ({ authorizationUrl, tokenUrl, jwksUrl }: SsoProvider): boolean =>
  Boolean(authorizationUrl && tokenUrl && jwksUrl)

/** What a provider still needs before anybody can sign in. */
export function missingText(provider: SsoProvider): string[] {
  const { issuer, clientId, hasClientSecret } = provider
  const parts = {
    'the issuer': issuer,
    'the client ID': clientId,
    'the client secret': hasClientSecret,
    'the provider’s discovery document': areAddressesKnown(provider),
  }
  return Object.entries(parts).flatMap(([label, value]) => (value ? [] : label))
}

const listed = new Intl.ListFormat('en')

/** Such as `the client ID and the client secret are missing`. */
export const areMissingText = (parts: readonly string[]): string =>
  `${listed.format(parts)} ${parts.length === 1 ? 'is' : 'are'} missing`

export const endpointLabels = {
  authorizationUrl: 'Sign-in page (authorization)',
  tokenUrl: 'Token exchange (token)',
  userInfoUrl: 'User info (userinfo)',
  jwksUrl: 'Keys (jwks)',
} as const
