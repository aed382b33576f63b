import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { requestPasswordReset } from '../../../data/passwords.ts'
import { StandalonePage } from '../../../domain/login-branding/standalone-page.tsx'
import { MailUnavailableNotice } from '../../../domain/messaging/mail-unavailable-notice.tsx'
import { fieldErrorsOf } from '../../../lib/error-messages.ts'
import { FormError } from '../../../ui/form-error.tsx'
import { ButtonLink, TextLink } from '../../../ui/links.tsx'

export function ForgotPasswordPage() {
  const typed = useLocation({ select: ({ state }) => state.email ?? '' })
  const form = useForm({
    initialValues: { email: typed },
    validate: { email: (email) => (/^\S+@\S+$/.test(email.trim()) ? null : 'Enter your email address') },
  })
  const ask = useMutation({
    ...requestPasswordReset,
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })
  if (ask.isSuccess) return <Sent email={ask.variables.email.trim()} />
  return (
    <StandalonePage title="Forgot your password?" about="We’ll email you a link to reset it.">
      <form onSubmit={form.onSubmit((values) => ask.mutate(values))} noValidate>
        <Stack>
          <MailUnavailableNotice />
          <FormError error={ask.error} />
          <TextInput
            label="Email"
            type="email"
            name="email"
            autoComplete="username"
            autoFocus
            {...form.getInputProps('email')}
          />
          <Button type="submit" fullWidth loading={ask.isPending}>
            Send link
          </Button>
          <TextLink to="/login" state={{ email: form.values.email }} size="sm">
            Back to sign-in
          </TextLink>
        </Stack>
      </form>
    </StandalonePage>
  )
}

/** The same answer for every address, so that it does not reveal whether an account exists. */
function Sent({ email }: { email: string }) {
  return (
    <StandalonePage title="Check your email">
      <Stack>
        <Text size="sm">
          If <b>{email}</b> has an account here, we’ve sent it a link. The link works for one hour, and only the newest
          one works.
        </Text>
        <Text size="sm" c="dimmed">
          Didn’t get it? Check your spam folder, or ask your administrator whether this appliance can send email.
        </Text>
        <ButtonLink to="/login" state={{ email }} variant="default" fullWidth>
          Back to sign-in
        </ButtonLink>
      </Stack>
    </StandalonePage>
  )
}
