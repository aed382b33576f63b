import { Affix, Button, Group, Paper, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useLiveConnection } from '../../domain/live-events/live-provider.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

/** Shorter interruptions show no notice. */
const delayMs = 2500

/** Says once for the whole page that the appliance is unreachable; on the left, because toasts are on the right. */
export function OfflineNotice() {
  const { isBroken, isTrying, tryNow } = useLiveConnection()
  const [wasBroken] = useDebouncedValue(isBroken, delayMs)
  return (
    <Affix position={{ bottom: 16, left: 16, right: 16 }} style={{ pointerEvents: 'none' }} role="status">
      {isBroken && wasBroken && (
        <Paper withBorder shadow="md" radius="md" py="xs" px="md" maw={560} style={{ pointerEvents: 'auto' }}>
          <Group justify="space-between" gap="sm" wrap="nowrap">
            <Text size="sm" component="div">
              <StatusDot tone="warn">No connection to Homeport</StatusDot>
              <Text size="xs" c="dimmed">
                Data may be out of date. Reconnecting…
              </Text>
            </Text>
            <Button size="xs" variant="default" flex="none" loading={isTrying} onClick={tryNow}>
              Retry now
            </Button>
          </Group>
        </Paper>
      )}
    </Affix>
  )
}
