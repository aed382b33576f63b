import { Text } from '@mantine/core'
import { explainProviderError, providerErrorReason } from './explain-provider-error.ts'

/** Why an identity provider could not be asked: what it means, then the appliance's own words for whoever looks them up. */
export function ProviderError({ said }: { said: string }) {
  const reason = providerErrorReason(said)
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
