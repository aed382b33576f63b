import { Text } from '@mantine/core'
import type { IdentityProvider } from '../../../data/sso-sign-in.ts'
import { useMailDelivery } from '../../../domain/messaging/use-mail-delivery.ts'
import { TextLink } from '../../../ui/links.tsx'

interface Props {
  email: string
  /** The provider that this address, or the partner, signs in through. */
  provider: IdentityProvider | null
  isInPlace: boolean
}

/** Why a password may be refused. It says the same whether or not the account exists. */
export function RefusalHint({ email, provider, isInPlace }: Props) {
  const isSent = useMailDelivery() === 'server'
  if (provider?.enforceSSO)
    return (
      <Text size="sm" mt={4} style={{ overflowWrap: 'anywhere' }}>
        If your organization allows only its identity provider, passwords don’t work: sign in with{' '}
        {provider.providerName}.
      </Text>
    )
  if (isInPlace) return null
  return (
    <Text size="sm" mt={4}>
      Too many failed attempts lock the account for a while, even for the correct password.{' '}
      {isSent && 'We email its owner a link to unlock it. '}
      <TextLink to="/forgot-password" state={{ email }} inherit underline="always">
        Reset your password
      </TextLink>{' '}
      to sign in now.
    </Text>
  )
}
