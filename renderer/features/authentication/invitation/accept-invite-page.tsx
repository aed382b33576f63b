import { Button, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type InvitationPreview, invitationLinkQuery } from '../../../data/invitations.ts'
import { StandalonePage } from '../../../domain/login-branding/standalone-page.tsx'
import { ProviderButton } from '../../../domain/sso/provider-button.tsx'
import { ApiError } from '../../../lib/api-error.ts'
import { fieldErrorsOf } from '../../../lib/error-messages.ts'
import { dateOnly } from '../../../lib/format.ts'
import { acceptInvitation, signedInUserQuery } from '../../../lib/session.ts'
import { FormError } from '../../../ui/form-error.tsx'
import { ButtonLink } from '../../../ui/links.tsx'
import { NewPassword, newPasswordForm, RepeatedPassword } from '../../../ui/new-password.tsx'
import { SkeletonLines } from '../../../ui/states.tsx'
import { LinkState } from '../mail-links/link-state.tsx'
import { useLinkToken } from '../mail-links/use-link-token.ts'
import { ExistingAccount } from './existing-account.tsx'
import { invitingTenant } from './invitation-preview.ts'

/** Target of an invitation link: sets the password of a new account, or signs in to an existing one. */
export function AcceptInvitePage() {
  const token = useLinkToken('/accept-invite') ?? ''
  const visitor = useQuery(signedInUserQuery)
  const [isAgreed, setAgreed] = useState(false)
  const invitation = useQuery(invitationLinkQuery(token))
  const { data, error } = invitation
  if (!token || isDead(error)) return <DeadLink />
  if (isUsed(error)) return <UsedLink />
  if (error)
    return (
      <StandalonePage title="That didn’t work">
        <Stack>
          <FormError error={error} />
          <Button fullWidth loading={invitation.isFetching} onClick={() => invitation.refetch()}>
            Try again
          </Button>
        </Stack>
      </StandalonePage>
    )
  if (!data || visitor.isPending)
    return (
      <StandalonePage title="One moment…">
        <SkeletonLines count={2} />
      </StandalonePage>
    )
  if (data.hasAccount) return <ExistingAccount token={token} invitation={data} />
  if (visitor.data && !isAgreed) return <Asked email={visitor.data.email} to={data} onAgree={() => setAgreed(true)} />
  if (data.sso !== undefined) return <Enforced invitation={data} way={data.sso} />
  return <AcceptForm token={token} invitation={data} />
}

function AcceptForm({ token, invitation }: { token: string; invitation: InvitationPreview }) {
  const { email, name, orgName, partnerName, expiresAt, about } = invitation
  const navigate = useNavigate()
  const form = useForm(newPasswordForm)
  const accept = useMutation({
    mutationFn: ({ password }: { password: string }) => acceptInvitation({ token, password }),
    onSuccess: (isSignedIn) =>
      isSignedIn
        ? navigate({ to: '/' })
        : navigate({ to: '/login', search: { reason: 'password-set' }, state: { email } }),
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })
  if (isDead(accept.error)) return <DeadLink />
  if (isUsed(accept.error)) return <UsedLink />
  return (
    <StandalonePage
      title={`You’re invited to ${invitingTenant(invitation)}`}
      about={
        <>
          {orgName && partnerName && `${partnerName} manages this organization. `}
          Choose a password for {email}. This invitation expires on {dateOnly(expiresAt)}.
        </>
      }
    >
      <form onSubmit={form.onSubmit((values) => accept.mutate(values))} noValidate>
        <Stack>
          <FormError error={Object.keys(fieldErrorsOf(accept.error)).length > 0 ? null : accept.error} />
          <Text size="sm">
            Welcome, <b>{name}</b>.
          </Text>
          {/* Tells password managers which account the password belongs to. */}
          <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
          <NewPassword autoFocus about={about} {...form.getInputProps('password')} value={form.values.password} />
          <RepeatedPassword {...form.getInputProps('again')} />
          <Button type="submit" fullWidth loading={accept.isPending}>
            Accept and sign in
          </Button>
        </Stack>
      </form>
    </StandalonePage>
  )
}

/** The tenant allows no passwords: the first sign-in accepts the invitation. */
function Enforced({ invitation, way }: { invitation: InvitationPreview; way: InvitationPreview['sso'] }) {
  const { email, name } = invitation
  return (
    <StandalonePage title={`You’re invited to ${invitingTenant(invitation)}`}>
      <Stack>
        <Text size="sm">
          Welcome, <b>{name}</b>.{' '}
          {way
            ? `People there sign in with ${way.providerName}. Sign in as ${email} to accept.`
            : 'People there sign in with an identity provider that isn’t ready yet. Ask the person who invited you.'}
        </Text>
        {way && <ProviderButton provider={way} email={email} />}
      </Stack>
    </StandalonePage>
  )
}

function Asked({ email, to, onAgree }: { email: string; to: InvitationPreview; onAgree: () => void }) {
  return (
    <LinkState
      title="You’re already signed in"
      text={`You’re signed in as ${email} in this browser. The invitation is for ${to.email}. Accepting it replaces your session with theirs.`}
    >
      <Button fullWidth onClick={onAgree}>
        Continue as {to.email}
      </Button>
      <ButtonLink to="/" variant="default" fullWidth>
        Stay signed in as
      </ButtonLink>
    </LinkState>
  )
}

const isDead = (error: unknown) =>
  error instanceof ApiError && (error.code === 'invalid_or_expired' || error.code === 'invite_invalid')
const isUsed = (error: unknown) => error instanceof ApiError && error.code === 'already_accepted'

function DeadLink() {
  return (
    <LinkState
      title="This invitation has expired"
      text="Invitations work for 7 days, and only the newest link works. Ask the person who invited you for a new one. If you reloaded this page, open the link again."
    >
      <ButtonLink to="/login" variant="default" fullWidth>
        Go to sign-in
      </ButtonLink>
    </LinkState>
  )
}

function UsedLink() {
  return (
    <LinkState title="You’ve already accepted" text="This invitation has been used. Sign in to your account.">
      <ButtonLink to="/login" fullWidth>
        Sign in
      </ButtonLink>
    </LinkState>
  )
}
