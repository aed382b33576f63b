import { Text } from '@mantine/core'
import { explainProviderError, providerErrorReason } from './explain-provider-error.ts'

/** Explanation of an error of an identity provider, followed by the appliance's own words. */
export function ProviderError({ error }: { error: string }) {
  const reason = providerErrorReason(error)
  const plain = explainProviderError(reason)
  return (
    <>
      {plain && <Text size="sm">{plain}</Text>}
      <Text size="xs" mt={2} className="mono" style={{ overflowWrap: 'anywhere' }}>
        {reason}
      </Text>
    </>
  )
}
