import { Button, Checkbox, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { MailDelivery } from '../../../../shared/api/registration.ts'
import { register } from '../../../data/registration.ts'
import { StandalonePage } from '../../../domain/login-branding/standalone-page.tsx'
import { MailUnavailableNotice } from '../../../domain/messaging/mail-unavailable-notice.tsx'
import { useMailDelivery } from '../../../domain/messaging/use-mail-delivery.ts'
import { fieldErrorsOf } from '../../../lib/error-messages.ts'
import { useCountdown } from '../../../lib/use-countdown.ts'
import { FormError } from '../../../ui/form-error.tsx'
import { TextLink } from '../../../ui/links.tsx'
import { RepeatedPassword, repetitionError } from '../../../ui/new-password.tsx'
import { AccountFields, accountRules, emptyAccount } from './account-fields.tsx'

export function RegisterPage() {
  const form = useRegistrationForm()
  const wait = useCountdown()
  const delivery = useMailDelivery()
  const registering = useMutation({
    mutationFn: ({ again, acceptTerms, ...registration }: typeof form.values) => register.mutationFn(registration),
    onError: (error) => {
      form.setErrors(fieldErrorsOf(error))
      wait.startAfter(error)
    },
  })
  if (registering.isSuccess) return <CheckMail email={registering.variables.email.trim()} onBack={registering.reset} />
  return (
    <StandalonePage title="Register your company" about="You’ll be its first administrator." width={440}>
      <form onSubmit={form.onSubmit((values) => registering.mutate(values))} noValidate>
        <Stack>
          <MailUnavailableNotice />
          <FormError error={registering.error} />
          <AccountFields form={form} aboutEmail={aboutEmail[delivery]} />
          <RepeatedPassword {...form.getInputProps('again')} />
          <Checkbox
            label="I’m authorized to register this company on this appliance"
            {...form.getInputProps('acceptTerms', { type: 'checkbox' })}
          />
          <Button type="submit" fullWidth loading={registering.isPending} disabled={wait.seconds > 0}>
            Register
          </Button>
          <Text size="sm" ta="center" c="dimmed">
            Already registered?{' '}
            <TextLink to="/login" inherit underline="always">
              Sign in
            </TextLink>
          </Text>
        </Stack>
      </form>
    </StandalonePage>
  )
}

/**
 * An appliance has no terms of service, so the box asks whether the user may register the company. The API calls it
 * `acceptTerms`.
 */
const useRegistrationForm = () =>
  useForm({
    initialValues: { ...emptyAccount, again: '', acceptTerms: false },
    validateInputOnBlur: ['email', 'again'],
    validate: {
      ...accountRules,
      again: (again, { password }) => repetitionError(again, password),
      acceptTerms: (isAccepted) => (isAccepted ? null : 'Confirm this to continue'),
    },
  })

const aboutEmail: Record<MailDelivery, string> = {
  server: 'You’ll use this to sign in. We’ll send a link to confirm it.',
  file: 'You’ll use this to sign in. You’ll confirm it with a link.',
  none: 'You’ll use this to sign in. You’ll confirm it with a link.',
}

/** The same answer whether or not the address has an account; the mail tells its owner. */
function CheckMail({ email, onBack }: { email: string; onBack: () => void }) {
  const isSent = useMailDelivery() === 'server'
  return (
    <StandalonePage title={isSent ? 'Check your email' : 'Ask for your link'}>
      <Stack>
        <MailUnavailableNotice />
        <Text size="sm">
          {isSent ? 'We sent a link to ' : 'Next you need the link for '}
          <b>{email}</b>. Follow it to finish; it works for one hour. Nothing is created until then.
        </Text>
        {isSent && (
          <Text size="sm" c="dimmed">
            Didn’t get it? Check your spam folder or correct the address.
          </Text>
        )}
        <Button variant="default" fullWidth onClick={onBack}>
          Correct address
        </Button>
        <TextLink to="/login" size="sm">
          Back to sign-in
        </TextLink>
      </Stack>
    </StandalonePage>
  )
}
