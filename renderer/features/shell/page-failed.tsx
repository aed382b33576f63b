import { Button, EmptyState } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconRefresh } from '@tabler/icons-react'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { createContext, use, useEffect } from 'react'
import { useOnReconnect } from '../../lib/connectivity.ts'
import { OutdatedBuildError } from '../../lib/load-code.ts'
import { LoadFailed } from '../../ui/states.tsx'
import { StartFailed } from './start-failed.tsx'

/** Whether the layout of the console is around. */
export const InAppFrame = createContext(false)

export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  useOnReconnect(retry)
  const isInFrame = use(InAppFrame)
  // The standalone page sets its own title.
  useDocumentTitle(isInFrame ? 'Not loaded · Homeport' : '')
  if (error instanceof OutdatedBuildError) return <Updated />
  if (!isInFrame) return <StartFailed error={error} onRetry={retry} />
  return <LoadFailed error={error} onRetry={retry} />
}

/** The page was open during an upgrade and asked for a file of the old version. */
function Updated() {
  useEffect(() => {
    // A file that is missing after a reload stays missing.
    if (!isReloaded()) location.reload()
  }, [])
  return (
    <EmptyState
      py={96}
      icon={<IconRefresh stroke={1.5} />}
      title="Homeport was updated"
      description="This page belongs to the previous version. Reload it to continue."
    >
      <EmptyState.Actions>
        <Button onClick={() => location.reload()}>Reload</Button>
      </EmptyState.Actions>
    </EmptyState>
  )
}

const isReloaded = () =>
  performance.getEntriesByType('navigation').some((entry) => (entry as PerformanceNavigationTiming).type === 'reload')
