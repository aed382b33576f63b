import { Text, Tooltip, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { StatusDot } from '../../ui/status-dot.tsx'
import { useLiveState } from './live-provider.tsx'

/** Quiet while all is well, and while a break is so short that nobody would have noticed. */
const calmMs = 2500

export function LiveIndicator() {
  const state = useLiveState()
  const [settled] = useDebouncedValue(state, calmMs)
  const isPaused = state === 'paused' && settled === 'paused'
  return (
    <div role="status">
      {isPaused && (
        <Tooltip label="What you see may be a moment old. It catches up by itself." multiline w={220}>
          <Text size="xs" c="dimmed" component="div">
            <VisuallyHidden>Live updates paused – reconnecting</VisuallyHidden>
            <span aria-hidden>
              <StatusDot tone="warn" isPulsing>
                Reconnecting…
              </StatusDot>
            </span>
          </Text>
        </Tooltip>
      )}
    </div>
  )
}
