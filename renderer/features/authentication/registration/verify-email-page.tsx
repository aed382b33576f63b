import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { EntryPage } from '../../../domain/login-branding/standalone-page.tsx'
import { ApiError } from '../../../lib/api-error.ts'
import { configQuery, followMailLink, type Verified, visitorQuery } from '../../../lib/session.ts'
import { FormError } from '../../../ui/form-error.tsx'
import { ButtonLink, TextLink } from '../../../ui/links.tsx'
import { Lines } from '../../../ui/states.tsx'
import { LinkFace } from '../mail-links/link-state.tsx'
import { useLinkToken } from '../mail-links/use-link-token.ts'

export function VerifyEmailPage() {
  const token = useLinkToken('/auth/verify-email')
  const visitor = useQuery(visitorQuery)
  const [isAgreed, setAgreed] = useState(false)
  // A link works once: the answer is kept under it, however often React draws the page.
  const link = useQuery({
    queryKey: ['link', token],
    queryFn: () => followMailLink(token ?? ''),
    // A link that completes a registration signs in whoever registered, in place of whoever is here.
    enabled: Boolean(token) && (visitor.data === null || isAgreed),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  const isDead = link.error instanceof ApiError && link.error.status === 400
  if (!token || isDead) return <DeadLink />
  const trouble = link.error ? link : visitor.error ? visitor : null
  if (trouble)
    return (
      <EntryPage title="That did not work yet">
        <Stack>
          <FormError error={trouble.error} />
          <Button fullWidth loading={trouble.isFetching} onClick={() => trouble.refetch()}>
            Try again
          </Button>
        </Stack>
      </EntryPage>
    )
  if (link.data) return <Followed reply={link.data} />
  if (visitor.data && !isAgreed) return <Asked email={visitor.data.email} onAgree={() => setAgreed(true)} />
  return (
    <EntryPage title="One moment">
      <Lines count={2} />
    </EntryPage>
  )
}

function Asked({ email, onAgree }: { email: string; onAgree: () => void }) {
  return (
    <LinkFace
      title="You are signed in here already"
      words={`In this browser you are ${email}. If this link completes a registration, it signs in the new account in place of yours. Follow it only if you asked for the mail it came in.`}
    >
      <Button fullWidth onClick={onAgree}>
        Follow the link
      </Button>
      <ButtonLink to="/" variant="default" fullWidth>
        Stay signed in as you are
      </ButtonLink>
    </LinkFace>
  )
}

function Followed({ reply }: { reply: Verified }) {
  switch (reply.purpose) {
    case 'registration':
      return (
        <LinkFace
          title={`Welcome, ${reply.user.name}`}
          words={`${reply.partner.name} is registered, and you are signed in.`}
        >
          <ButtonLink to="/devices" fullWidth>
            {reply.mfaEnrollmentRequired ? 'Set up your second factor' : 'Open Homeport'}
          </ButtonLink>
        </LinkFace>
      )
    case 'existing_account':
      return (
        <LinkFace
          title="You already have an account"
          words="An account with this address was made in the meantime, so nothing was changed. Sign in with it."
        >
          <SignInButton />
        </LinkFace>
      )
    case 'email_change':
      return (
        <LinkFace
          title="Your address is changed"
          words={`From now on you sign in with ${reply.email}. Every device that was signed in to your account is signed out.`}
        >
          <ButtonLink to="/login" search={{ reason: 'email-changed' }} fullWidth>
            Sign in
          </ButtonLink>
        </LinkFace>
      )
    case 'address_proof':
      return (
        <LinkFace
          title="Your address is confirmed"
          words={`Mail to ${reply.email} reaches you. There is nothing else to do.`}
        >
          <ButtonLink to="/devices" fullWidth>
            Open Homeport
          </ButtonLink>
        </LinkFace>
      )
  }
}

function DeadLink() {
  const registration = useQuery(configQuery).data?.registration
  return (
    <LinkFace
      title="This link does not work any more"
      words="It was used already, it is too old, or a newer one took its place. If you have followed it before, just sign in."
    >
      <SignInButton />
      {/* What a dead link was for can not be told any more. */}
      <Text size="sm" c="dimmed">
        Was it for a new address? Ask for the change again{' '}
        <TextLink to="/settings/profile" inherit underline="always">
          in your profile
        </TextLink>
        .
        {registration?.enabled && registration.shown && (
          <>
            {' '}
            Was it for a new company?{' '}
            <TextLink to="/register-partner" inherit underline="always">
              Register again
            </TextLink>
            .
          </>
        )}
      </Text>
    </LinkFace>
  )
}

const SignInButton = () => (
  <ButtonLink to="/login" fullWidth>
    Sign in
  </ButtonLink>
)
