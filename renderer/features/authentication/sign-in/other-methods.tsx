import { Button, Divider } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import { AboutElsewhere, WayButton } from '../../../domain/sso/provider-button.tsx'
import type { Way } from '../sso/use-identity-providers.ts'

interface Props {
  ways: (Way | null)[]
  leading: { next: string | undefined; email: string; isInPlace: boolean }
  passkey: { isPending: boolean; choose: () => void } | null
  /** Brings the password back, where it has given way to an identity provider. */
  onPassword: (() => void) | null
}

/** Beside the first way to sign in. What is found later comes last, so that nothing moves under the pointer. */
export function OtherWays({ ways, leading, passkey, onPassword }: Props) {
  const providers = ways.filter((way) => way !== null)
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
      {providers.map((way) => (
        <WayButton key={way.loginUrl} variant="default" way={way} {...leading} />
      ))}
      {onPassword && (
        <Button variant="subtle" fullWidth onClick={onPassword}>
          Sign in with password instead
        </Button>
      )}
      {(onPassword || providers.length > 0) && <AboutElsewhere isInPlace={leading.isInPlace} />}
    </>
  )
}
