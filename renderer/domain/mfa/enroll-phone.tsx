import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { MfaMethod } from '../../../shared/api/auth.ts'
import { phoneNumber as phoneRule } from '../../../shared/fields.ts'
import { confirmPhone, enableSms, sendPhoneCode } from '../../data/mfa.ts'
import { normalizePhoneNumber } from '../../lib/phone-number.ts'
import { CodeInput } from '../../ui/code-input.tsx'
import { FormError } from '../../ui/form-error.tsx'

interface Props {
  /** The current method of the account; if it is text messages, only the number changes. */
  primary: MfaMethod | null
  onDone: (recoveryCodes: string[]) => void
  otherwise: ReactNode
}

const beginning = 'Homeport texts a code to your phone whenever you sign in.'
const loadingPlaceholder = {
  totp: 'Text messages replace your authenticator app. The app keeps working until the number is confirmed. After that your other sessions end, and you get new recovery codes.',
  sms: 'Codes go to your current number until the new one is confirmed. After that your other sessions end.',
}

/** Enrolls a phone: number, confirmation code, then text messages become the second factor. */
export function EnrollPhone({ primary, onDone, otherwise }: Props) {
  const [number, setNumber] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const send = useMutation(sendPhoneCode)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { success, error } = phoneRule.safeParse(normalizePhoneNumber(number))
    setProblem(success ? null : (error.issues[0]?.message ?? null))
    if (success) send.mutate(normalizePhoneNumber(number))
  }
  if (send.isSuccess) {
    return (
      <Confirm
        number={normalizePhoneNumber(number)}
        primary={primary}
        onDone={onDone}
        onBack={send.reset}
        otherwise={otherwise}
      />
    )
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm">{primary && primary !== 'passkey' ? loadingPlaceholder[primary] : beginning}</Text>
        <FormError error={send.error} />
        <TextInput
          label="Phone number"
          description="Include the country code, for example +49 170 1234567."
          type="tel"
          autoComplete="tel"
          autoFocus
          data-autofocus
          maxLength={40}
          value={number}
          error={problem}
          onChange={(event) => {
            setNumber(event.currentTarget.value)
            setProblem(null)
          }}
        />
        <Group>
          <Button type="submit" loading={send.isPending} disabled={!number.trim()}>
            Send code
          </Button>
          {otherwise}
        </Group>
      </Stack>
    </form>
  )
}

interface ConfirmProps extends Props {
  number: string
  onBack: () => void
}

function Confirm({ number, primary, onDone, onBack, otherwise }: ConfirmProps) {
  const [code, setCode] = useState('')
  // The code works once. If only enabling fails afterwards, the same button retries that step.
  const confirm = useMutation(confirmPhone)
  const enable = useMutation({ ...enableSms, onSuccess: onDone })
  const isNumberOnly = primary === 'sms'
  const next = () => (isNumberOnly ? onDone([]) : enable.mutate(primary !== null))
  const submit = (given: string) =>
    confirm.isSuccess
      ? next()
      : confirm.mutate({ phoneNumber: number, code: given }, { onSuccess: next, onError: () => setCode('') })
  return (
    <Stack>
      <Text size="sm">Enter the six-digit code sent to {number}.</Text>
      <FormError error={confirm.error ?? enable.error} />
      <CodeInput
        autoFocus
        data-autofocus
        value={code}
        onChange={setCode}
        onComplete={submit}
        isBusy={confirm.isPending || confirm.isSuccess}
        maw={220}
      />
      <Group>
        <Button onClick={() => submit(code)} disabled={code.length < 6} loading={confirm.isPending || enable.isPending}>
          {isNumberOnly ? 'Use this number' : 'Turn on'}
        </Button>
        {otherwise}
      </Group>
      <Anchor component="button" type="button" size="sm" c="var(--accent-text)" onClick={onBack} ta="start">
        No message? Check the number or send another code
      </Anchor>
    </Stack>
  )
}
