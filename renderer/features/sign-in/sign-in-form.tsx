import { Stack, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { ApiError } from '../../lib/api-error.ts'
import { fieldErrorsOf } from '../../lib/error-words.ts'
import { type Challenge, signIn } from '../../lib/session.ts'
import { FormError } from '../../ui/form-error.tsx'
import { TextLink } from '../../ui/links.tsx'
import { WayButton } from '../single-sign-on/way-button.tsx'
import { useWays, type Way } from '../single-sign-on/ways.ts'
import { OtherWays } from './other-ways.tsx'
import { PasswordPart } from './password-part.tsx'
import { useCountdown } from './use-countdown.ts'
import { usePasskeySignIn } from './use-passkey-sign-in.ts'

interface Props {
  /** Typed before, here or on a page nearby. */
  knownEmail: string
  /** Where an identity provider leads back to. */
  next?: string | undefined
  /** Over a page that has to stay: nothing leads away from it. */
  isInPlace?: boolean
  hasPasskeys: boolean
  onRefused?: () => void
  onDone: () => void
  onChallenge: (challenge: Challenge, email: string) => void
}

export function SignInForm({
  knownEmail,
  next,
  isInPlace = false,
  hasPasskeys,
  onRefused,
  onDone,
  onChallenge,
}: Props) {
  const form = useForm({
    initialValues: { email: knownEmail, password: '' },
    validate: {
      email: (email) => (email.includes('@') ? null : 'Enter your e-mail address'),
      password: (password) => (password ? null : 'Enter your password'),
    },
  })
  const { email } = form.values
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

  const { found, company, hear, ask } = useWays(knownEmail)
  const first = found ?? company
  const [isOpened, setOpened] = useState(false)
  // A password that somebody has begun to type is not taken out of their hands.
  const isClosed = Boolean(first?.enforceSSO) && !isOpened && !form.isTouched('password')
  const firstButton = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isClosed && document.activeElement === document.body) firstButton.current?.focus()
  }, [isClosed])
  const chooseWay = async (event: FormEvent) => {
    event.preventDefault()
    await ask(email)
    firstButton.current?.focus()
  }
  const openPassword = () => {
    setOpened(true)
    if (!email) form.getInputNode('email')?.focus()
  }
  const field = form.getInputProps('email')
  const leading = { next, email, isInPlace }
  return (
    <form onSubmit={isClosed ? chooseWay : form.onSubmit((values) => attempt.mutate(values))} noValidate>
      <Stack>
        <FormError error={failure}>
          {isRefusal(failure) && first?.enforceSSO && <AboutEnforced providerName={first.providerName} />}
          {isRefusal(failure) && !first?.enforceSSO && !isInPlace && <AboutLocks email={email} />}
        </FormError>
        <div>
          <TextInput
            label="E-mail"
            type="email"
            name="email"
            autoComplete="username webauthn"
            autoFocus={!knownEmail}
            {...field}
            onChange={(event) => {
              field.onChange(event)
              hear(event.currentTarget.value)
            }}
            onBlur={(event) => {
              field.onBlur(event)
              void ask(email)
            }}
          />
          <AboutWay way={found} />
        </div>
        {isClosed && first ? (
          <WayButton ref={firstButton} way={first} {...leading} />
        ) : (
          <PasswordPart
            field={form.getInputProps('password')}
            email={email}
            isInPlace={isInPlace}
            hasFocus={isOpened || (Boolean(knownEmail) && email === knownEmail)}
            isPending={attempt.isPending}
            isWaiting={wait.seconds > 0}
          />
        )}
        <OtherWays
          ways={isClosed ? [company, found].filter((way) => way !== first) : [company, found]}
          leading={leading}
          passkey={hasPasskeys ? { isPending: passkey.isPending, choose: choosePasskey } : null}
          onPassword={isClosed ? openPassword : null}
        />
      </Stack>
    </form>
  )
}

const isRefusal = (error: unknown) => error instanceof ApiError && error.code === 'invalid_credentials'

/** Tells what an address led to, also to whoever does not see that a button has come. */
function AboutWay({ way }: { way: Way | null }) {
  return (
    <div role="status">
      {way?.enforceSSO && (
        <Text size="sm" mt={6} style={{ overflowWrap: 'anywhere' }}>
          People of your organization sign in with {way.providerName}.
        </Text>
      )}
      {way && !way.enforceSSO && <VisuallyHidden>You can also sign in with {way.providerName}.</VisuallyHidden>}
    </div>
  )
}

function AboutEnforced({ providerName }: Pick<Way, 'providerName'>) {
  return (
    <Text size="sm" mt={4} style={{ overflowWrap: 'anywhere' }}>
      Where an identity provider is the only way in, even the right password is refused: sign in with {providerName}.
    </Text>
  )
}

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
