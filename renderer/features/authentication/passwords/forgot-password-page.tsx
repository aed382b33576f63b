import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import type { MailDelivery } from '../../../../shared/api/registration.ts'
import { requestPasswordReset } from '../../../data/passwords.ts'
import { StandalonePage } from '../../../domain/login-branding/standalone-page.tsx'
import { MailUnavailableNotice } from '../../../domain/messaging/mail-unavailable-notice.tsx'
import { useMailDelivery } from '../../../domain/messaging/use-mail-delivery.ts'
import { fieldErrorsOf } from '../../../lib/error-messages.ts'
import { FormError } from '../../../ui/form-error.tsx'
import { ButtonLink, TextLink } from '../../../ui/links.tsx'

export function ForgotPasswordPage() {
  const isSent = useMailDelivery() === 'server'
  const typed = useLocation({ select: ({ state }) => state.email ?? '' })
  const form = useForm({
    initialValues: { email: typed },
    validate: { email: (email) => (/^\S+@\S+$/.test(email.trim()) ? null : 'Enter your email address') },
  })
  const ask = useMutation({
    ...requestPasswordReset,
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })
  if (ask.isSuccess) return <Requested email={ask.variables.email.trim()} />
  return (
    <StandalonePage
      title="Forgot your password?"
      about={isSent ? 'We’ll email you a link to reset it.' : 'You’ll need a link to reset it.'}
    >
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
            {isSent ? 'Send link' : 'Request link'}
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
function Requested({ email }: { email: string }) {
  const { title, about, hint } = answers[useMailDelivery()]
  return (
    <StandalonePage title={title}>
      <Stack>
        <Text size="sm">
          If <b>{email}</b> has an account here, {about} The link works for one hour, and only the newest one works.
        </Text>
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
        <ButtonLink to="/login" state={{ email }} variant="default" fullWidth>
          Back to sign-in
        </ButtonLink>
      </Stack>
    </StandalonePage>
  )
}

const answers: Record<MailDelivery, { title: string; about: string; hint: string }> = {
  server: {
    title: 'Check your email',
    about: 'we’ve sent it a link.',
    hint: 'Didn’t get it? Check your spam folder, or ask your administrator whether this appliance can send email.',
  },
  file: {
    title: 'Ask for your link',
    about: 'a link for it was written to a file on the appliance.',
    hint: 'This appliance doesn’t send email. Ask your administrator for the link.',
  },
  none: {
    title: 'No email was sent',
    about: 'a link for it waits until a mail server is set up.',
    hint: 'Ask your administrator to set one up, or to reset your password.',
  },
}
