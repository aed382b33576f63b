import { Stack, Text } from '@mantine/core'
import type { SsoProvider } from '../../../shared/api/sso-providers.ts'
import type { ProviderWarnings } from '../../data/sso-providers.ts'
import { Notice } from '../../ui/notice.tsx'
import { ProviderError } from './provider-error.tsx'
import { areAddressesKnown } from './provider-labels.ts'

interface Props {
  provider: SsoProvider
  /** Warnings of the last save on this page. */
  warnings: ProviderWarnings
}

/** Saved, but something is wrong. */
export function SavedWarnings({ provider, warnings }: Props) {
  const isCleared = warnings.some(({ code }) => code === 'client_secret_cleared')
  // A later save has fixed it, or a secret is stored again.
  const isSecretMissing = isCleared && !provider.hasClientSecret
  const isUnfound = warnings.some(({ code }) => code === 'oidc_discovery_failed') || !areAddressesKnown(provider)
  const reason = isUnfound && provider.discoveryError
  if (!reason && !isSecretMissing) return null
  return (
    <Stack gap="sm" mb="md">
      {isSecretMissing && (
        <Notice tone="warn" role="status" title="The client secret was removed">
          <Text size="sm">
            It was entered for another server and isn’t sent to a different one. Enter the secret for the new address.
          </Text>
        </Notice>
      )}
      {reason && (
        <Notice tone="warn" role="status" title="Saved, but the identity provider couldn’t be reached">
          <ProviderError error={reason} />
        </Notice>
      )}
    </Stack>
  )
}
