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
    validate: { email: (email) => (/^\S+@\S+$/.test(email.trim()) ? null : 'Enter your e-mail address') },
  })
  const ask = useMutation({
    ...requestPasswordReset,
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })
  if (ask.isSuccess) return <Sent email={ask.variables.email.trim()} />
  return (
    <StandalonePage title="Forgot your password?" about="We send you a link with which you choose a new one.">
      <form onSubmit={form.onSubmit((values) => ask.mutate(values))} noValidate>
        <Stack>
          <MailUnavailableNotice />
          <FormError error={ask.error} />
          <TextInput
            label="E-mail"
            type="email"
            name="email"
            autoComplete="username"
            autoFocus
            {...form.getInputProps('email')}
          />
          <Button type="submit" fullWidth loading={ask.isPending}>
            Send the link
          </Button>
          <TextLink to="/login" state={{ email: form.values.email }} size="sm">
            Back to the sign-in
          </TextLink>
        </Stack>
      </form>
    </StandalonePage>
  )
}

/** The same answer for every address, so that it does not reveal whether an account exists. */
function Sent({ email }: { email: string }) {
  return (
    <StandalonePage title="Look into your mail">
      <Stack>
        <Text size="sm">
          If <b>{email}</b> has an account here, a link is on its way. It works for one hour, and only the newest link
          works.
        </Text>
        <Text size="sm" c="dimmed">
          Nothing after a few minutes? Look into the spam folder, or ask the administrator of this Homeport whether it
          can send mail.
        </Text>
        <ButtonLink to="/login" state={{ email }} variant="default" fullWidth>
          Back to the sign-in
        </ButtonLink>
      </Stack>
    </StandalonePage>
  )
}
