import { Button, Divider, Stack, Text, TextInput } from '@mantine/core'
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
  /** Typed before, here or on a page nearby. */
  knownEmail: string
  /** Over a page that has to stay: nothing leads away from it. */
  isInPlace?: boolean
  hasPasskeys: boolean
  onRefused?: () => void
  onDone: () => void
  onChallenge: (challenge: Challenge, email: string) => void
}

export function PasswordForm({ knownEmail, isInPlace = false, hasPasskeys, onRefused, onDone, onChallenge }: Props) {
  const form = useForm({
    initialValues: { email: knownEmail, password: '' },
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
    onSuccess: (challenge, { email }) => (challenge ? onChallenge(challenge, email) : onDone()),
    onError: (error) => {
      onRefused?.()
      form.setErrors(fieldErrorsOf(error))
      // Nobody has judged a password that did not get through.
      if (isRefusal(error)) {
        form.setFieldValue('password', '')
        form.getInputNode('password')?.focus()
      }
      wait.startAfter(error)
    },
  })
  const failure = passkey.failure ?? attempt.error
  const choosePasskey = () => {
    attempt.reset()
    passkey.choose()
  }
  return (
    <form onSubmit={form.onSubmit((values) => attempt.mutate(values))} noValidate>
      <Stack>
        <FormError error={failure}>
          {isRefusal(failure) && !isInPlace && <AboutLocks email={form.values.email} />}
        </FormError>
        <TextInput
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username webauthn"
          autoFocus={!knownEmail}
          {...form.getInputProps('email')}
        />
        <Stack gap={6}>
          <PasswordField
            label="Password"
            name="password"
            autoComplete="current-password"
            autoFocus={Boolean(knownEmail)}
            data-autofocus={knownEmail ? true : undefined}
            {...form.getInputProps('password')}
          />
          {!isInPlace && (
            <TextLink
              to="/forgot-password"
              state={{ email: form.values.email }}
              size="sm"
              style={{ alignSelf: 'flex-start' }}
            >
              Forgot your password?
            </TextLink>
          )}
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

const isRefusal = (error: unknown) => error instanceof ApiError && error.code === 'invalid_credentials'

/** The same for everybody: whether an account is locked, or is there at all, is nobody's business. */
function AboutLocks({ email }: { email: string }) {
  return (
    <Text size="sm" mt={4}>
      After several wrong passwords an account is locked for a while, and the right one is refused too.{' '}
      <TextLink to="/forgot-password" state={{ email }} inherit underline="always">
        Choose a new password
      </TextLink>{' '}
      to get in at once.
    </Text>
  )
}
