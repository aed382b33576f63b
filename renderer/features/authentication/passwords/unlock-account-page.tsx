import { Button, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { unlockByLink, unlockLinkQuery } from '../../../data/passwords.ts'
import { StandalonePage } from '../../../domain/login-branding/standalone-page.tsx'
import { ApiError } from '../../../lib/api-error.ts'
import { FormError } from '../../../ui/form-error.tsx'
import { ButtonLink, TextLink } from '../../../ui/links.tsx'
import { SkeletonLines } from '../../../ui/states.tsx'
import { useLinkToken } from '../mail-links/use-link-token.ts'

/** Target of the mail about a locked account. Only the button unlocks, because mail scanners open links. */
export function UnlockAccountPage() {
  const token = useLinkToken('/unlock-account')
  const link = useQuery(unlockLinkQuery(token))
  const unlock = useMutation(unlockByLink(token))
  const email = link.data?.email ?? ''
  if (unlock.isSuccess) return <Unlocked email={email} />
  if (!token || isDead(link.error) || isDead(unlock.error)) return <DeadLink />
  if (link.isPending)
    return (
      <StandalonePage title="One moment…">
        <SkeletonLines count={2} />
      </StandalonePage>
    )
  return (
    <StandalonePage title="Unlock your account">
      <Stack>
        <FormError error={unlock.error ?? link.error} />
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          There were too many attempts with a wrong password{email && ' for '}
          {email && <b>{email}</b>}. Unlock the account, then sign in with the correct one.
        </Text>
        <Button fullWidth loading={unlock.isPending} onClick={() => unlock.mutate()}>
          Unlock account
        </Button>
        <Text size="sm" c="dimmed">
          Wasn’t you? Someone is guessing your password and hasn’t gotten in. A long password and a second factor keep
          your account safe.
        </Text>
        <TextLink to="/forgot-password" state={{ email }} size="sm">
          Choose a new password instead
        </TextLink>
      </Stack>
    </StandalonePage>
  )
}

const isDead = (error: unknown) => error instanceof ApiError && error.code === 'invalid_unlock_link'

function Unlocked({ email }: { email: string }) {
  return (
    <StandalonePage title="Your account is unlocked">
      <Stack>
        <Text size="sm">
          Sign in with your password. Wrong passwords entered elsewhere no longer lock you out of this browser.
        </Text>
        <ButtonLink to="/login" state={{ email }} fullWidth>
          Sign in
        </ButtonLink>
        <TextLink to="/forgot-password" state={{ email }} size="sm">
          Forgot your password?
        </TextLink>
      </Stack>
    </StandalonePage>
  )
}

function DeadLink() {
  return (
    <StandalonePage title="This link no longer works">
      <Stack>
        <Text size="sm">
          Links work once and only while the account is locked. The lock may be over: try to sign in. If you reloaded
          this page, open the link from the email again.
        </Text>
        <ButtonLink to="/login" fullWidth>
          Sign in
        </ButtonLink>
        <TextLink to="/forgot-password" size="sm">
          Choose a new password
        </TextLink>
      </Stack>
    </StandalonePage>
  )
}
