import { Button, Divider, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconFingerprint } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { ApiError } from '../../lib/api-error.ts'
import { fieldErrorsOf } from '../../lib/error-words.ts'
import { type Challenge, signIn } from '../../lib/session.ts'
import { FormError } from '../../ui/form-error.tsx'
import { TextLink } from '../../ui/links.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { useCountdown } from './use-countdown.ts'
import { usePasskeySignIn } from './use-passkey-sign-in.ts'

interface Props {
  hasPasskeys: boolean
  onDone: () => void
  onChallenge: (challenge: Challenge) => void
}

export function PasswordForm({ hasPasskeys, onDone, onChallenge }: Props) {
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: (email) => (email.includes('@') ? null : 'Enter your e-mail address'),
      password: (password) => (password ? null : 'Enter your password'),
    },
  })
  const wait = useCountdown()
  const passkey = usePasskeySignIn(hasPasskeys, onDone)
  const attempt = useMutation({
    mutationFn: signIn,
    onMutate: passkey.forgetFailure,
    onSuccess: (challenge) => (challenge ? onChallenge(challenge) : onDone()),
    onError: (error) => {
      form.setErrors(fieldErrorsOf(error))
      form.setFieldValue('password', '')
      form.getInputNode('password')?.focus()
      if (error instanceof ApiError && error.retryAfter) wait.start(error.retryAfter)
    },
  })
  const choosePasskey = () => {
    attempt.reset()
    passkey.choose()
  }
  return (
    <form onSubmit={form.onSubmit((values) => attempt.mutate(values))} noValidate>
      <Stack>
        <FormError error={passkey.failure ?? attempt.error} />
        <TextInput
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username webauthn"
          autoFocus
          {...form.getInputProps('email')}
        />
        <Stack gap={6}>
          <PasswordField
            label="Password"
            name="password"
            autoComplete="current-password"
            {...form.getInputProps('password')}
          />
          <TextLink
            to="/forgot-password"
            state={{ email: form.values.email }}
            size="sm"
            style={{ alignSelf: 'flex-start' }}
          >
            Forgot your password?
          </TextLink>
        </Stack>
        <Button type="submit" fullWidth loading={attempt.isPending} disabled={wait.seconds > 0}>
          Sign in
        </Button>
        {hasPasskeys && (
          <>
            <Divider label="or" />
            <Button
              variant="default"
              fullWidth
              leftSection={<IconFingerprint size={18} aria-hidden />}
              loading={passkey.isPending}
              onClick={choosePasskey}
            >
              Sign in with a passkey
            </Button>
          </>
        )}
      </Stack>
    </form>
  )
}
