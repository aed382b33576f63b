import { Text } from '@mantine/core'
import { plainly, reasonIn } from './explain-provider-error.ts'

/** Why an identity provider could not be asked: what it means, then the appliance's own words for whoever looks them up. */
export function Reason({ said }: { said: string }) {
  const reason = reasonIn(said)
  const plain = plainly(reason)
  return (
    <>
      {plain && <Text size="sm">{plain}</Text>}
      <Text size="xs" mt={2} className="mono" style={{ overflowWrap: 'anywhere' }}>
        {reason}
      </Text>
    </>
  )
}
