import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { ApiError } from '../../lib/api-error.ts'
import { fieldErrorsOf } from '../../lib/error-words.ts'
import { type Challenge, signIn } from '../../lib/session.ts'
import { FormError } from '../../ui/form-error.tsx'
import { useCountdown } from './use-countdown.ts'

interface Props {
  onDone: () => void
  onChallenge: (challenge: Challenge) => void
}

export function PasswordForm({ onDone, onChallenge }: Props) {
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: (email) => (email.includes('@') ? null : 'Enter your e-mail address'),
      password: (password) => (password ? null : 'Enter your password'),
    },
  })
  const wait = useCountdown()
  const attempt = useMutation({
    mutationFn: signIn,
    onSuccess: (challenge) => (challenge ? onChallenge(challenge) : onDone()),
    onError: (error) => {
      form.setErrors(fieldErrorsOf(error))
      form.setFieldValue('password', '')
      if (error instanceof ApiError && error.retryAfter) wait.start(error.retryAfter)
    },
  })
  return (
    <form onSubmit={form.onSubmit((values) => attempt.mutate(values))} noValidate>
      <Stack>
        <FormError error={attempt.error} />
        <TextInput
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          autoFocus
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          {...form.getInputProps('password')}
        />
        <Button type="submit" fullWidth loading={attempt.isPending} disabled={wait.seconds > 0}>
          {wait.seconds > 0 ? `Try again in ${wait.seconds} s` : 'Sign in'}
        </Button>
      </Stack>
    </form>
  )
}
