import { Button, EmptyState } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconRefresh } from '@tabler/icons-react'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { createContext, use, useEffect } from 'react'
import { useOnReconnect } from '../../lib/connectivity.ts'
import { OutdatedBuildError } from '../../lib/load-code.ts'
import { LoadFailed } from '../../ui/states.tsx'
import { StartFailed } from './start-failed.tsx'

/** Whether the frame of the app is around. */
export const InAppFrame = createContext(false)

export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  useOnReconnect(retry)
  const isInFrame = use(InAppFrame)
  // The entry page has a title of its own.
  useDocumentTitle(isInFrame ? 'Not loaded · Homeport' : '')
  if (error instanceof OutdatedBuildError) return <Updated />
  if (!isInFrame) return <StartFailed error={error} onRetry={retry} />
  return <LoadFailed error={error} onRetry={retry} />
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
