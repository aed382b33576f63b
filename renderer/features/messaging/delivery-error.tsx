import { Text } from '@mantine/core'
import { type Channel, explainDeliveryError } from './explain-delivery-error.ts'

/** Explanation of an error, followed by the other side's own words. */
export function DeliveryError({ error, channel }: { error: string; channel: Channel }) {
  const plain = explainDeliveryError(error, channel)
  return (
    <>
      {plain && <Text size="sm">{plain}</Text>}
      <Text size="xs" mt={2} className="mono" style={{ overflowWrap: 'anywhere' }}>
        {error}
      </Text>
    </>
  )
}
