import { Button, Group, Image, PinInput, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { CopyIcon } from '../../ui/copy-button.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { beginFactor, enableFactor } from './data.ts'
import classes from './enroll-factor.module.css'
import { RecoveryCodes } from './recovery-codes.tsx'

/** Leads through an authenticator app: the picture, the code that proves it, the recovery codes. */
export function EnrollFactor({ onDone, otherwise }: { onDone: () => void; otherwise?: ReactNode }) {
  const begin = useMutation(beginFactor)
  const enable = useMutation(enableFactor)
  const [code, setCode] = useState('')
  const start = begin.mutate
  useEffect(() => start(), [start])

  if (enable.data) return <RecoveryCodes codes={enable.data} onDone={onDone} />
  if (begin.error) {
    return (
      <Stack>
        <FormError error={begin.error} />
        <Button variant="default" onClick={() => begin.mutate()}>
          Try again
        </Button>
        {otherwise}
      </Stack>
    )
  }
  return (
    <Stack>
      <Text size="sm">1. Scan this with an authenticator app such as Aegis, 1Password or Microsoft Authenticator.</Text>
      <Group gap="lg" align="center">
        {begin.data ? (
          <Image src={begin.data.qrCodeDataUrl} alt="QR code for the authenticator app" className={classes.picture} />
        ) : (
          <Skeleton w={168} h={168} />
        )}
        <Stack gap={4} flex="1 1 180px">
          <Text size="xs" c="dimmed">
            No camera? Type this secret:
          </Text>
          {begin.data ? (
            <Group gap={4} wrap="nowrap" align="flex-start">
              <Text className={classes.secret}>{begin.data.secret.replace(/(.{4})(?=.)/g, '$1 ')}</Text>
              <CopyIcon text={begin.data.secret} label="Copy the secret" />
            </Group>
          ) : (
            <Skeleton h={16} />
          )}
        </Stack>
      </Group>
      <Text size="sm">2. Enter the six digits it shows.</Text>
      <FormError error={enable.error} />
      <PinInput
        length={6}
        type="number"
        placeholder=""
        ariaLabel="Digit of the code"
        value={code}
        onChange={setCode}
        disabled={!begin.data || enable.isPending}
        onComplete={(given) => enable.mutate(given, { onError: () => setCode('') })}
      />
      <Group>
        <Button
          onClick={() => enable.mutate(code, { onError: () => setCode('') })}
          disabled={code.length < 6}
          loading={enable.isPending}
        >
          Turn on
        </Button>
        {otherwise}
      </Group>
    </Stack>
  )
}
