import { Button, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { resetLinkQuery, setPasswordByLink } from '../../../data/passwords.ts'
import { StandalonePage } from '../../../domain/login-branding/standalone-page.tsx'
import { ApiError } from '../../../lib/api-error.ts'
import { fieldErrorsOf } from '../../../lib/error-messages.ts'
import { forgetSession } from '../../../lib/session.ts'
import { FormError } from '../../../ui/form-error.tsx'
import { ButtonLink, TextLink } from '../../../ui/links.tsx'
import { NewPassword, newPasswordForm, RepeatedPassword } from '../../../ui/new-password.tsx'
import { SkeletonLines } from '../../../ui/states.tsx'
import { useLinkToken } from '../mail-links/use-link-token.ts'

export function ResetPasswordPage() {
  const token = useLinkToken('/reset-password')
  const navigate = useNavigate()
  const form = useForm(newPasswordForm)
  const link = useQuery(resetLinkQuery(token))
  const reset = useMutation({
    ...setPasswordByLink(token),
    onSuccess: async () => {
      forgetSession('password-changed')
      const email = link.data?.email
      await navigate({ to: '/login', search: { reason: 'password-changed' }, state: email ? { email } : {} })
    },
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })
  if (!token || isDead(link.error) || isDead(reset.error)) return <DeadLink />
  if (link.isPending)
    return (
      <StandalonePage title="One moment…">
        <SkeletonLines count={2} />
      </StandalonePage>
    )
  // If checking the link failed, the form shows the error.
  const { email = '', about = [] } = link.data ?? {}
  return (
    <StandalonePage title="Choose a new password" about="You’ll be signed out on all devices.">
      <form onSubmit={form.onSubmit((values) => reset.mutate(values))} noValidate>
        <Stack>
          <FormError error={reset.error} />
          {/* Tells password managers which account the password belongs to. */}
          <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
          <NewPassword
            label="New password"
            autoFocus
            about={about}
            {...form.getInputProps('password')}
            value={form.values.password}
          />
          <RepeatedPassword {...form.getInputProps('again')} />
          <Button type="submit" fullWidth loading={reset.isPending}>
            Change password
          </Button>
        </Stack>
      </form>
    </StandalonePage>
  )
}

const isDead = (error: unknown) => error instanceof ApiError && error.code === 'invalid_reset_token'

function DeadLink() {
  return (
    <StandalonePage title="This link no longer works">
      <Stack>
        <Text size="sm">
          Links work once and expire after one hour, and only the newest one works. If you reloaded this page, open the
          link from the email again.
        </Text>
        <ButtonLink to="/forgot-password" fullWidth>
          Get a new link
        </ButtonLink>
        <TextLink to="/login" size="sm">
          Back to sign-in
        </TextLink>
      </Stack>
    </StandalonePage>
  )
}
