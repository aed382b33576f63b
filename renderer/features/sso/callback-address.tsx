import { Stack, Text } from '@mantine/core'
import { Copyable } from '../../ui/copyable.tsx'

interface Props {
  url: string
  /** How to enter it at the provider. */
  how: string
}

/** What has to be registered at the identity provider first. */
export function CallbackAddress({ url, how }: Props) {
  return (
    <Stack gap={4} style={{ overflowWrap: 'anywhere' }}>
      <Text size="sm">{how}</Text>
      <Copyable text={url} label="Copy redirect address" />
      {isRefusedByMost(url) && (
        <Text size="xs" c="dimmed">
          Most identity providers only accept an address that starts with https://. If yours is another one, ask the
          administrator of this appliance to change its public address.
        </Text>
      )}
    </Stack>
  )
}

function isRefusedByMost(text: string): boolean {
  const { protocol, hostname } = new URL(text)
  return protocol !== 'https:' && hostname !== 'localhost'
}
