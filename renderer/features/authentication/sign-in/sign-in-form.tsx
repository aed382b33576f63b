import { Stack } from '@mantine/core'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { WayButton } from '../../../domain/sso/provider-button.tsx'
import type { Challenge } from '../../../lib/session.ts'
import { FormError } from '../../../ui/form-error.tsx'
import { useWays } from '../sso/use-identity-providers.ts'
import { EmailField } from './email-field.tsx'
import { OtherWays } from './other-methods.tsx'
import { PasswordPart } from './password-section.tsx'
import { AboutRefusal } from './refusal-hint.tsx'
import { usePasskeySignIn } from './use-passkey-sign-in.ts'
import { isRefusal, usePasswordSignIn } from './use-password-sign-in.ts'

interface Props {
  /** Typed before, here or on a page nearby. */
  knownEmail: string
  /** Where an identity provider leads back to. */
  next?: string | undefined
  /** Of a mailed invitation, which somebody who belongs nowhere accepts by signing in. */
  inviteToken?: string
  /** Over a page that has to stay: nothing leads away from it. */
  isInPlace?: boolean
  hasPasskeys: boolean
  onRefused?: () => void
  onDone: () => void
  onChallenge: (challenge: Challenge, email: string) => void
}

/** Every way to sign in. Where an identity provider is the only one, the password waits behind a button. */
export function SignInForm({
  knownEmail,
  next,
  isInPlace = false,
  inviteToken,
  hasPasskeys,
  onDone,
  ...outcomes
}: Props) {
  const passkey = usePasskeySignIn(hasPasskeys, onDone)
  const onTry = passkey.forgetFailure
  const { form, attempt, isWaiting } = usePasswordSignIn(knownEmail, { onTry, onDone, ...outcomes })
  const { email } = form.values
  const failure = passkey.failure ?? attempt.error
  const choosePasskey = () => {
    attempt.reset()
    passkey.choose()
  }

  const { found, company, hear, ask } = useWays(knownEmail)
  const first = found ?? company
  const [isOpened, setOpened] = useState(false)
  // A password that somebody has begun to type is not taken out of their hands.
  const isClosed = first?.enforceSSO === true && !isOpened && !form.isTouched('password')
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
  const leading = { next, email, isInPlace }
  return (
    <form
      onSubmit={
        isClosed
          ? chooseWay
          : form.onSubmit((values) => attempt.mutate({ ...values, ...(inviteToken && { inviteToken }) }))
      }
      noValidate
    >
      <Stack>
        <FormError error={failure}>
          {isRefusal(failure) && <AboutRefusal email={email} way={first} isInPlace={isInPlace} />}
        </FormError>
        <EmailField
          field={form.getInputProps('email')}
          hasFocus={!knownEmail}
          found={found}
          onTyped={hear}
          onLeft={(typed) => void ask(typed)}
        />
        {isClosed ? (
          <WayButton ref={firstButton} way={first} {...leading} />
        ) : (
          <PasswordPart
            field={form.getInputProps('password')}
            email={email}
            isInPlace={isInPlace}
            hasFocus={email !== '' && (isOpened || email === knownEmail)}
            isPending={attempt.isPending}
            isWaiting={isWaiting}
          />
        )}
        <OtherWays
          ways={[company, found].filter((way) => !isClosed || way !== first)}
          leading={leading}
          passkey={hasPasskeys ? { isPending: passkey.isPending, choose: choosePasskey } : null}
          onPassword={isClosed ? openPassword : null}
        />
      </Stack>
    </form>
  )
}
