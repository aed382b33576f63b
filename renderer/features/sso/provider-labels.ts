import type { DefaultRoleProblem, SsoProvider, SsoProviderStatus } from '../../../shared/api/sso-providers.ts'
import type { Tone } from '../../ui/status-dot.tsx'

export const providerStatusNames: Record<SsoProviderStatus, { word: string; tone: Tone; meaning: string }> = {
  inactive: { word: 'Off', tone: 'idle', meaning: 'Nobody sees it and nobody signs in with it.' },
  testing: {
    word: 'Testing',
    tone: 'busy',
    meaning:
      'The sign-in page does not offer it. Those it is for can connect their own account with it on their profile, under “Security”, and so try it out.',
  },
  active: { word: 'On', tone: 'good', meaning: 'People sign in with it.' },
}

export const defaultRoleProblems: Record<DefaultRoleProblem, string> = {
  default_role_missing: 'No role is chosen, or the role is gone',
  default_role_configurer_unknown: 'Whoever chose the role has no account here any more',
  default_role_configurer_inactive: 'The account of whoever chose the role is not active any more',
  default_role_configurer_no_permissions: 'Whoever chose the role does not look after this organization any more',
  default_role_exceeds_configurer_permissions: 'The role permits more than whoever chose it may do themselves by now',
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
    'what the identity provider says of itself': areAddressesKnown(provider),
  }
  return Object.entries(parts).flatMap(([label, value]) => (value ? [] : label))
}

const listed = new Intl.ListFormat('en')

/** Such as `the client ID and the client secret are missing`. */
export const areMissingText = (parts: readonly string[]): string =>
  `${listed.format(parts)} ${parts.length === 1 ? 'is' : 'are'} missing`

export const endpointLabels = {
  authorizationUrl: 'Sign-in page (authorization)',
  tokenUrl: 'Exchange (token)',
  userInfoUrl: 'About the person (userinfo)',
  jwksUrl: 'Keys (jwks)',
} as const
