import { Text } from '@mantine/core'
import { TextLink } from '../../../ui/links.tsx'
import type { Way } from '../sso/use-identity-providers.ts'

interface Props {
  email: string
  /** Through which people sign in who are like this one. */
  way: Way | null
  isInPlace: boolean
}

/** Why a password may be refused; the same for everybody, whether or not there is such an account. */
export function AboutRefusal({ email, way, isInPlace }: Props) {
  if (way?.enforceSSO)
    return (
      <Text size="sm" mt={4} style={{ overflowWrap: 'anywhere' }}>
        Where an identity provider is the only way in, even the right password is refused: sign in with{' '}
        {way.providerName}.
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
