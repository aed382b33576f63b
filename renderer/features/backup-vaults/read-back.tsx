import { Text } from '@mantine/core'
import { RelativeTime } from '../../ui/relative-time.tsx'

/** When some of the data of a second copy was last read for proof. */
export function ReadBack({ at }: { at: string | null }) {
  return (
    <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
      {at === null ? (
        'Not read back yet'
      ) : (
        <>
          Read back <RelativeTime isPast at={at} />
        </>
      )}
    </Text>
  )
}
