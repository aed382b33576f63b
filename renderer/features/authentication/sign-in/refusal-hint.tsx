import { Text } from '@mantine/core'
import type { IdentityProvider } from '../../../data/sso-sign-in.ts'
import { TextLink } from '../../../ui/links.tsx'

interface Props {
  email: string
  /** The provider that this address, or the partner, signs in through. */
  provider: IdentityProvider | null
  isInPlace: boolean
}

/** Why a password may be refused. It says the same whether or not the account exists. */
export function RefusalHint({ email, provider, isInPlace }: Props) {
  if (provider?.enforceSSO)
    return (
      <Text size="sm" mt={4} style={{ overflowWrap: 'anywhere' }}>
        Where an identity provider is the only way in, even the right password is refused: sign in with{' '}
        {provider.providerName}.
      </Text>
    )
  if (isInPlace) return null
  return (
    <Text size="sm" mt={4}>
      After several wrong passwords an account is locked for a while, and the right one is refused too. Its owner gets a
      mail with a link that unlocks it.{' '}
      <TextLink to="/forgot-password" state={{ email }} inherit underline="always">
        Choose a new password
      </TextLink>{' '}
      to get in at once.
    </Text>
  )
}
