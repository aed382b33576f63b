import { Button, Code, EmptyState, Skeleton, Stack, Text } from '@mantine/core'
import { IconCloudOff, IconLock, IconSearchOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { ApiError } from '../lib/api-error.ts'
import { useIsOffline } from '../lib/connectivity.ts'
import { messageFor } from '../lib/error-messages.ts'

/** An empty list: says what to do next. */
export function EmptyList(props: { icon: ReactNode; title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <EmptyState py={64} icon={props.icon} title={props.title} description={props.children}>
      {props.action && <EmptyState.Actions>{props.action}</EmptyState.Actions>}
    </EmptyState>
  )
}

/** No rows match the filters. */
export function NoMatch({ what, onClear, otherwise }: { what: string; onClear: () => void; otherwise?: ReactNode }) {
  return (
    <EmptyState
      py={64}
      icon={<IconSearchOff stroke={1.5} />}
      title={`No ${what} match`}
      description="Try a shorter search or other filters."
    >
      <EmptyState.Actions>
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
        {otherwise}
      </EmptyState.Actions>
    </EmptyState>
  )
}

export function LoadFailed({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const isAway = useIsOffline()
  // While offline one notice speaks for the page, and queries are retried once the appliance is back.
  if (isAway && error instanceof ApiError && error.code === 'network') return <SkeletonLines count={3} />
  const isRefused = error instanceof ApiError && error.status === 403
  const requestId = error instanceof ApiError ? error.requestId : undefined
  return (
    <EmptyState
      py={64}
      role="alert"
      icon={isRefused ? <IconLock stroke={1.5} /> : <IconCloudOff stroke={1.5} />}
      title={isRefused ? 'You don’t have access' : 'This didn’t load'}
      description={messageFor(error)}
    >
      <Stack gap="sm" align="center">
        {onRetry && (
          <Button variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
        {requestId && (
          <Text size="xs" c="dimmed">
            Request <Code>{requestId}</Code>
          </Text>
        )}
      </Stack>
    </EmptyState>
  )
}

/** Skeleton lines for a first load. */
export function SkeletonLines({ count = 6, height = 18 }: { count?: number | undefined; height?: number }) {
  return (
    <Stack gap="md" aria-busy role="status" aria-label="Loading">
      {Array.from({ length: count }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines have no identity
        <Skeleton key={line} height={height} width={`${96 - ((line * 17) % 30)}%`} />
      ))}
    </Stack>
  )
}
