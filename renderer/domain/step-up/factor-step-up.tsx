import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { MfaMethod } from '../../../shared/api/auth.ts'
import {
  enrollmentOptionsQuery,
  ownAccountQuery,
  passkeyStepUpMutation,
  passkeysQuery,
  sendStepUpCode,
  stepUpWithCode,
} from '../../data/mfa.ts'
import { canUsePasskeys } from '../../lib/passkeys.ts'
import { CodeInput } from '../../ui/code-input.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { LoadFailed, SkeletonLines } from '../../ui/states.tsx'
import { stepUpMethods } from '../mfa/factor-methods.ts'

/** Asks for one of the user's factors; afterwards the session counts as stepped up for a while. */
export function FactorStepUp({ onDone }: { onDone: () => void }) {
  const account = useQuery(ownAccountQuery)
  const passkeys = useQuery(passkeysQuery)
  const options = useQuery(enrollmentOptionsQuery)
  const [chosen, setChosen] = useState<MfaMethod | null>(null)
  const queries = [account, passkeys, options]
  const failed = queries.find(({ error, data }) => error && !data)
  if (failed) return <LoadFailed error={failed.error} onRetry={() => queries.map(({ refetch }) => refetch())} />
  if (!account.data || !passkeys.data || !options.data) return <SkeletonLines count={3} />

  const factors = {
    primary: account.data.mfaMethod,
    passkeys: passkeys.data,
    allowed: options.data.allowedMethods,
  }
  const methods = stepUpMethods(factors, location.hostname, canUsePasskeys())
  const method = chosen ?? methods[0]
  return (
    <Stack>
      {method === 'passkey' && <ByPasskey onDone={onDone} />}
      {method === 'totp' && <ByApp onDone={onDone} />}
      {method === 'sms' && <ByPhone last4={account.data.phoneLast4} onDone={onDone} />}
      {method === undefined && (
        <Text size="sm">
          None of your second factors works at this address. Sign out and sign in again with a recovery code.
        </Text>
      )}
      {methods
        .filter((other) => other !== method)
        .map((other) => (
          <Anchor
            key={other}
            component="button"
            type="button"
            size="sm"
            ta="start"
            c="var(--accent-text)"
            onClick={() => setChosen(other)}
          >
            {switchTo[other]}
          </Anchor>
        ))}
      {method && (
        <Text size="xs" c="dimmed">
          Don’t have it with you? Sign out and sign in again with a recovery code.
        </Text>
      )}
    </Stack>
  )
}

const switchTo: Record<MfaMethod, string> = {
  passkey: 'Use a passkey',
  totp: 'Use the authenticator app',
  sms: 'Use a text message',
}

function ByPasskey({ onDone }: { onDone: () => void }) {
  const confirm = useMutation({ ...passkeyStepUpMutation, onSuccess: onDone })
  return (
    <>
      <Text size="sm">Your browser will ask for your fingerprint, face, PIN or security key.</Text>
      <FormError error={confirm.error} />
      <Group>
        <Button autoFocus data-autofocus loading={confirm.isPending} onClick={() => confirm.mutate()}>
          Use a passkey
        </Button>
      </Group>
    </>
  )
}

function ByApp({ onDone }: { onDone: () => void }) {
  return (
    <>
      <Text size="sm">Enter the six-digit code from your authenticator app.</Text>
      <Code method="totp" onDone={onDone} />
    </>
  )
}

function ByPhone({ last4, onDone }: { last4: string | null; onDone: () => void }) {
  const send = useMutation(sendStepUpCode)
  const phone = last4 ? `your phone ending in ${last4}` : 'your phone'
  if (!send.isSuccess) {
    return (
      <>
        <Text size="sm">We’ll text a code to {phone}.</Text>
        <FormError error={send.error} />
        <Group>
          <Button autoFocus data-autofocus loading={send.isPending} onClick={() => send.mutate()}>
            Send code
          </Button>
        </Group>
      </>
    )
  }
  return (
    <>
      <Text size="sm">Enter the six-digit code sent to {phone}.</Text>
      <Code method="sms" onDone={onDone} />
      <Anchor component="button" type="button" size="sm" ta="start" c="var(--accent-text)" onClick={send.reset}>
        No message? Send another
      </Anchor>
    </>
  )
}

function Code({ method, onDone }: { method: 'totp' | 'sms'; onDone: () => void }) {
  const [code, setCode] = useState('')
  const confirm = useMutation({ ...stepUpWithCode(method), onSuccess: onDone, onError: () => setCode('') })
  return (
    <>
      <FormError error={confirm.error} />
      <CodeInput
        autoFocus
        data-autofocus
        value={code}
        onChange={setCode}
        onComplete={(given) => confirm.mutate(given)}
        isBusy={confirm.isPending}
        maw={220}
      />
      <Group>
        <Button loading={confirm.isPending} disabled={code.length < 6} onClick={() => confirm.mutate(code)}>
          Confirm
        </Button>
      </Group>
    </>
  )
}
