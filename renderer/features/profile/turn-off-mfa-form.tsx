import { Anchor, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { authMe } from '../../../shared/api/auth.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { sendStepUpCode, stepUpWithPasskey } from '../../data/mfa.ts'
import { disableMfa } from '../../data/profile.ts'
import { fieldErrorsOf, isWrongPassword } from '../../lib/error-messages.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { useMe, usesPassword } from '../../lib/session.ts'
import { ConfirmForm } from '../../ui/confirm-form.tsx'
import { PasswordField } from '../../ui/password-field.tsx'

interface Props {
  account: ReplyOf<typeof authMe>['user']
  onDone: () => void
}

/** Removes every factor; asks for the password and for one of the factors. */
export function TurnOffMfaForm({ account, onDone }: Props) {
  const isByPasskey = account.mfaMethod === 'passkey'
  const isPasswordNeeded = usesPassword(useMe())
  const form = useForm({
    initialValues: { currentPassword: '', code: '' },
    validate: {
      currentPassword: (password) => (password || !isPasswordNeeded ? null : 'Enter your password'),
      code: (code) => (isByPasskey || code.trim() ? null : 'Enter a code'),
    },
  })
  const remove = useMutation({
    mutationFn: async ({ currentPassword: password, code }: typeof form.values) => {
      const currentPassword = isPasswordNeeded ? password : undefined
      if (code.trim()) return disableMfa.mutationFn({ currentPassword, code: code.trim() })
      const { stepUpGrantId } = await stepUpWithPasskey('disable_mfa')
      return disableMfa.mutationFn({ currentPassword, stepUpGrantId })
    },
    onSuccess: async () => {
      notifyDone('Two-factor authentication is off')
      onDone()
      await disableMfa.onSuccess()
    },
    onError: (error) =>
      form.setErrors(isWrongPassword(error) ? { currentPassword: 'Wrong password' } : fieldErrorsOf(error)),
  })
  return (
    <ConfirmForm
      consequences={`Every second factor, passkey and recovery code of your account is removed, and your other sessions end. After that, ${isPasswordNeeded ? 'your password' : 'your identity provider'} alone is enough to sign in.`}
      confirm="Turn off"
      isPending={remove.isPending}
      error={isWrongPassword(remove.error) ? null : remove.error}
      onConfirm={form.onSubmit((values) => remove.mutate(values))}
      onCancel={onDone}
    >
      {isPasswordNeeded && (
        <PasswordField
          label="Your password"
          name="password"
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps('currentPassword')}
        />
      )}
      <TextInput
        label={isByPasskey ? 'Recovery code' : 'Code'}
        description={
          isByPasskey
            ? 'Leave empty to confirm with your passkey.'
            : `The six-digit code ${account.mfaMethod === 'sms' ? 'from a text message' : 'from your authenticator app'}, or a recovery code.`
        }
        autoComplete="one-time-code"
        spellCheck={false}
        maxLength={9}
        {...form.getInputProps('code')}
      />
      {account.mfaMethod === 'sms' && <SendCode />}
    </ConfirmForm>
  )
}

function SendCode() {
  const send = useMutation(sendStepUpCode)
  return (
    <Anchor
      component="button"
      type="button"
      size="sm"
      ta="start"
      c="var(--accent-text)"
      onClick={() =>
        send.mutate(undefined, {
          onSuccess: () => notifyDone('Code sent'),
          onError: notifyFailed('No code was sent'),
        })
      }
    >
      Send me a code
    </Anchor>
  )
}
