import { Stack } from '@mantine/core'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { ProviderButton } from '../../../domain/sso/provider-button.tsx'
import type { Challenge } from '../../../lib/session.ts'
import { FormError } from '../../../ui/form-error.tsx'
import { useIdentityProviders } from '../sso/use-identity-providers.ts'
import { EmailField } from './email-field.tsx'
import { OtherMethods } from './other-methods.tsx'
import { PasswordSection } from './password-section.tsx'
import { RefusalHint } from './refusal-hint.tsx'
import { usePasskeySignIn } from './use-passkey-sign-in.ts'
import { isRefusal, usePasswordSignIn } from './use-password-sign-in.ts'

interface Props {
  /** Typed on this page or the one before. */
  knownEmail: string
  /** The page an identity provider returns to. */
  next?: string | undefined
  /** From a mailed invitation: accepted by signing in when the account has no other membership. */
  inviteToken?: string
  /** The form lies over a page that has to stay open: it has no links away. */
  isInPlace?: boolean
  hasPasskeys: boolean
  onRefused?: () => void
  onDone: () => void
  onChallenge: (challenge: Challenge, email: string) => void
}

/** All methods of signing in. Where only an identity provider is allowed, the password is hidden behind a button. */
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

  const { forEmail, ofPartner, onEmailTyped, lookUp } = useIdentityProviders(knownEmail)
  const provider = forEmail ?? ofPartner
  const [isPasswordShown, setPasswordShown] = useState(false)
  // A password field that has been typed in stays.
  const isPasswordHidden = provider?.enforceSSO === true && !isPasswordShown && !form.isTouched('password')
  const providerButton = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isPasswordHidden && document.activeElement === document.body) providerButton.current?.focus()
  }, [isPasswordHidden])
  const continueWithEmail = async (event: FormEvent) => {
    event.preventDefault()
    await lookUp(email)
    providerButton.current?.focus()
  }
  const showPassword = () => {
    setPasswordShown(true)
    if (!email) form.getInputNode('email')?.focus()
  }
  const target = { next, email, isInPlace }
  return (
    <form
      onSubmit={
        isPasswordHidden
          ? continueWithEmail
          : form.onSubmit((values) => attempt.mutate({ ...values, ...(inviteToken && { inviteToken }) }))
      }
      noValidate
    >
      <Stack>
        <FormError error={failure}>
          {isRefusal(failure) && <RefusalHint email={email} provider={provider} isInPlace={isInPlace} />}
        </FormError>
        <EmailField
          field={form.getInputProps('email')}
          hasFocus={!knownEmail}
          provider={forEmail}
          onTyped={onEmailTyped}
          onLeft={(typed) => void lookUp(typed)}
        />
        {isPasswordHidden ? (
          <ProviderButton ref={providerButton} provider={provider} {...target} />
        ) : (
          <PasswordSection
            field={form.getInputProps('password')}
            email={email}
            isInPlace={isInPlace}
            hasFocus={email !== '' && (isPasswordShown || email === knownEmail)}
            isPending={attempt.isPending}
            isWaiting={isWaiting}
          />
        )}
        <OtherMethods
          providers={[ofPartner, forEmail].filter((one) => !isPasswordHidden || one !== provider)}
          target={target}
          passkey={hasPasskeys ? { isPending: passkey.isPending, choose: choosePasskey } : null}
          onPassword={isPasswordHidden ? showPassword : null}
        />
      </Stack>
    </form>
  )
}
