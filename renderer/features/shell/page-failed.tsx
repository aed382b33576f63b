import { Button, Center, EmptyState, Skeleton, Stack } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconMapQuestion, IconRefresh } from '@tabler/icons-react'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { createContext, use, useEffect } from 'react'
import { homeOf } from '../../domain/navigation/pages.ts'
import { useReturn } from '../../lib/connectivity.ts'
import { StaleBuild } from '../../lib/load-code.ts'
import { useMe } from '../../lib/session.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { Failed } from '../../ui/states.tsx'
import { DoorFailed } from './start-failed.tsx'

/** While the first page of a session is on its way. */
export function Starting() {
  return (
    <Center mih="60vh" role="status" aria-label="Loading">
      <Stack w={320} gap="sm">
        <Skeleton height={22} width="50%" />
        <Skeleton height={14} />
        <Skeleton height={14} width="80%" />
      </Stack>
    </Center>
  )
}

/** Whether the frame of the app is around. */
export const InFrame = createContext(false)

export function NotFound() {
  useDocumentTitle('No such page · Homeport')
  const home = homeOf(useMe())
  return (
    <EmptyState
      py={96}
      icon={<IconMapQuestion stroke={1.5} />}
      title="There is no such page"
      description="The link may be old, or what it led to was deleted."
    >
      <EmptyState.Actions>
        <ButtonLink to={home.to} variant="default">
          Go to {home.label}
        </ButtonLink>
      </EmptyState.Actions>
    </EmptyState>
  )
}

export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  useReturn(retry)
  const isInFrame = use(InFrame)
  // The entry page has a title of its own.
  useDocumentTitle(isInFrame ? 'Not loaded · Homeport' : '')
  if (error instanceof StaleBuild) return <Updated />
  if (!isInFrame) return <DoorFailed error={error} onRetry={retry} />
  return <Failed error={error} onRetry={retry} />
}

/** A page left open over an upgrade asked for a file that the new version does not have. */
function Updated() {
  useEffect(() => {
    // A file that is missing after a reload is missing for good.
    if (!isReloaded()) location.reload()
  }, [])
  return (
    <EmptyState
      py={96}
      icon={<IconRefresh stroke={1.5} />}
      title="Homeport was updated"
      description="This page belongs to the version before. Reload it to go on."
    >
      <EmptyState.Actions>
        <Button onClick={() => location.reload()}>Reload</Button>
      </EmptyState.Actions>
    </EmptyState>
  )
}

const isReloaded = () =>
  performance.getEntriesByType('navigation').some((entry) => (entry as PerformanceNavigationTiming).type === 'reload')
