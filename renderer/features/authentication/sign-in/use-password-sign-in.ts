import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { ApiError } from '../../../lib/api-error.ts'
import { fieldErrorsOf } from '../../../lib/error-messages.ts'
import { type Challenge, signIn } from '../../../lib/session.ts'
import { useCountdown } from '../../../lib/use-countdown.ts'

interface Outcomes {
  onTry: () => void
  onRefused?: (() => void) | undefined
  onDone: () => void
  onChallenge: (challenge: Challenge, email: string) => void
}

/** Form and mutation of a sign-in with address and password. */
export function usePasswordSignIn(knownEmail: string, { onTry, onRefused, onDone, onChallenge }: Outcomes) {
  const form = useForm({
    initialValues: { email: knownEmail, password: '' },
    validate: {
      email: (email) => (email.includes('@') ? null : 'Enter your email address'),
      password: (password) => (password ? null : 'Enter your password'),
    },
  })
  const wait = useCountdown()
  const attempt = useMutation({
    mutationFn: signIn,
    onMutate: onTry,
    onSuccess: (challenge, { email }) => (challenge ? onChallenge(challenge, email) : onDone()),
    onError: (error) => {
      onRefused?.()
      form.setErrors(fieldErrorsOf(error))
      // A password whose check failed without an answer stays in the field.
      if (isRefusal(error)) {
        form.setFieldValue('password', '')
        form.getInputNode('password')?.focus()
      }
      wait.startAfter(error)
    },
  })
  return { form, attempt, isWaiting: wait.seconds > 0 }
}

/** Address or password is wrong; the server does not say which. */
export const isRefusal = (error: unknown) => error instanceof ApiError && error.code === 'invalid_credentials'
