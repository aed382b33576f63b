import { Button, Divider } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import type { IdentityProvider } from '../../../data/sso-sign-in.ts'
import { ProviderButton, ProviderWindowNote } from '../../../domain/sso/provider-button.tsx'

interface Props {
  providers: (IdentityProvider | null)[]
  target: { next: string | undefined; email: string; isInPlace: boolean }
  passkey: { isPending: boolean; choose: () => void } | null
  /** Shows the password field where an identity provider has replaced it. */
  onPassword: (() => void) | null
}

/** The methods below the first one. The provider of a typed address comes last, so that nothing moves under the pointer. */
export function OtherMethods({ providers: offered, target, passkey, onPassword }: Props) {
  const providers = offered.filter((provider) => provider !== null)
  if (!passkey && !onPassword && providers.length === 0) return null
  return (
    <>
      <Divider label="or" />
      {passkey && (
        <Button
          variant="default"
          fullWidth
          leftSection={<IconFingerprint size={18} aria-hidden />}
          loading={passkey.isPending}
          onClick={passkey.choose}
        >
          Sign in with a passkey
        </Button>
      )}
      {providers.map((provider) => (
        <ProviderButton key={provider.loginUrl} variant="default" provider={provider} {...target} />
      ))}
      {onPassword && (
        <Button variant="subtle" fullWidth onClick={onPassword}>
          Sign in with a password instead
        </Button>
      )}
      {(onPassword || providers.length > 0) && <ProviderWindowNote isInPlace={target.isInPlace} />}
    </>
  )
}
