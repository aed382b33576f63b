import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { StandalonePage } from '../../../domain/login-branding/standalone-page.tsx'
import { ApiError } from '../../../lib/api-error.ts'
import { followMailLink, publicConfigQuery, signedInUserQuery, type VerifiedLink } from '../../../lib/session.ts'
import { FormError } from '../../../ui/form-error.tsx'
import { ButtonLink, TextLink } from '../../../ui/links.tsx'
import { SkeletonLines } from '../../../ui/states.tsx'
import { LinkState } from '../mail-links/link-state.tsx'
import { useLinkToken } from '../mail-links/use-link-token.ts'

export function VerifyEmailPage() {
  const token = useLinkToken('/auth/verify-email')
  const visitor = useQuery(signedInUserQuery)
  const [isAgreed, setAgreed] = useState(false)
  // A link works once, so its reply is cached, however often React renders the page.
  const link = useQuery({
    queryKey: ['link', token],
    queryFn: () => followMailLink(token ?? ''),
    // A registration link signs in its user in place of the current one, so that one is asked first.
    enabled: Boolean(token) && (visitor.data === null || isAgreed),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  const isDead = link.error instanceof ApiError && link.error.status === 400
  if (!token || isDead) return <DeadLink />
  const trouble = link.error ? link : visitor.error ? visitor : null
  if (trouble)
    return (
      <StandalonePage title="That didn’t work">
        <Stack>
          <FormError error={trouble.error} />
          <Button fullWidth loading={trouble.isFetching} onClick={() => trouble.refetch()}>
            Try again
          </Button>
        </Stack>
      </StandalonePage>
    )
  if (link.data) return <Followed reply={link.data} />
  if (visitor.data && !isAgreed) return <Asked email={visitor.data.email} onAgree={() => setAgreed(true)} />
  return (
    <StandalonePage title="One moment…">
      <SkeletonLines count={2} />
    </StandalonePage>
  )
}

function Asked({ email, onAgree }: { email: string; onAgree: () => void }) {
  return (
    <LinkState
      title="You’re already signed in"
      text={`You’re signed in as ${email} in this browser. If this link completes a registration, it replaces your session with the new account’s. Follow it only if you requested it.`}
    >
      <Button fullWidth onClick={onAgree}>
        Continue
      </Button>
      <ButtonLink to="/" variant="default" fullWidth>
        Stay signed in as
      </ButtonLink>
    </LinkState>
  )
}

function Followed({ reply }: { reply: VerifiedLink }) {
  switch (reply.purpose) {
    case 'registration':
      return (
        <LinkState
          title={`Welcome, ${reply.user.name}`}
          text={`${reply.partner.name} is registered, and you’re signed in.`}
        >
          <ButtonLink to="/" fullWidth>
            {reply.mfaEnrollmentRequired ? 'Set up your second factor' : 'Open Homeport'}
          </ButtonLink>
        </LinkState>
      )
    case 'existing_account':
      return (
        <LinkState
          title="You already have an account"
          text="Someone created an account with this address in the meantime, so nothing was changed. Sign in with that account."
        >
          <SignInButton />
        </LinkState>
      )
    case 'email_change':
      return (
        <LinkState
          title="Email address changed"
          text={`From now on, sign in with ${reply.email}. You’ve been signed out on all devices.`}
        >
          <ButtonLink to="/login" search={{ reason: 'email-changed' }} fullWidth>
            Sign in
          </ButtonLink>
        </LinkState>
      )
    case 'address_proof':
      return (
        <LinkState title="Email address confirmed" text={`${reply.email} is confirmed. You’re all set.`}>
          <ButtonLink to="/" fullWidth>
            Open Homeport
          </ButtonLink>
        </LinkState>
      )
  }
}

function DeadLink() {
  const registration = useQuery(publicConfigQuery).data?.registration
  return (
    <LinkState
      title="This link no longer works"
      text="It was already used, has expired, or was replaced by a newer one. If you’ve followed it before, just sign in."
    >
      <SignInButton />
      {/* Nothing tells what an invalid link was for. */}
      <Text size="sm" c="dimmed">
        Changing your address? Request the change again{' '}
        <TextLink to="/settings/profile" inherit underline="always">
          in your profile
        </TextLink>
        .
        {registration?.enabled && registration.shown && (
          <>
            {' '}
            Registering a company?{' '}
            <TextLink to="/register-partner" inherit underline="always">
              Register again
            </TextLink>
            .
          </>
        )}
      </Text>
    </LinkState>
  )
}

const SignInButton = () => (
  <ButtonLink to="/login" fullWidth>
    Sign in
  </ButtonLink>
)
