import { Button, Stack, Text } from '@mantine/core'
import { StandalonePage } from '../../domain/login-branding/standalone-page.tsx'
import { useSignOut } from '../../domain/session/use-sign-out.ts'
import { api } from '../../lib/api.ts'
import { ApiError } from '../../lib/api-error.ts'
import { messageFor } from '../../lib/error-messages.ts'

/** Shown when no page could be loaded: the session is blocked, or the appliance unreachable. */
export function StartFailed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const leave = useSignOut()
  const { title, whatToDo } = faceOf(error)
  // A session that could not be renewed can still be ended.
  const isSession = api.isSignedIn() || (error instanceof ApiError && error.isForAddress)
  return (
    <StandalonePage title={title}>
      <Stack>
        <Text size="sm">{messageFor(error)}</Text>
        {whatToDo && <Text size="sm">{whatToDo}</Text>}
        <Button variant="default" fullWidth onClick={onRetry}>
          Try again
        </Button>
        {isSession && (
          <Button variant="subtle" color="gray" fullWidth loading={leave.isPending} onClick={() => leave.mutate()}>
            Sign out
          </Button>
        )}
      </Stack>
    </StandalonePage>
  )
}

function faceOf(error: unknown): { title: string; whatToDo?: string } {
  if (!(error instanceof ApiError) || error.status !== 403) return { title: 'Homeport didn’t start' }
  if (error.isForAddress)
    return {
      title: 'Not allowed from this network',
      whatToDo: 'Use an allowed network, or ask an administrator of your company to allow this one.',
    }
  return { title: 'You don’t have access', whatToDo: 'Ask an administrator of your company.' }
}
