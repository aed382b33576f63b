import { Button, Group, Image, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { CodeInput } from '../../ui/code-input.tsx'
import { CopyIcon } from '../../ui/copy-button.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { beginApp, enableApp } from './data.ts'
import classes from './enroll-factor.module.css'

interface Props {
  onDone: (recoveryCodes: string[]) => void
  otherwise: ReactNode
}

/** An authenticator app: the picture, then the code that proves it. */
export function EnrollApp({ onDone, otherwise }: Props) {
  const begin = useMutation(beginApp)
  const enable = useMutation({ ...enableApp, onSuccess: onDone })
  const [code, setCode] = useState('')
  const start = begin.mutate
  useEffect(() => start(), [start])
  const submit = (given: string) => enable.mutate(given, { onError: () => setCode('') })

  if (begin.error) {
    return (
      <Stack>
        <FormError error={begin.error} />
        <Group>
          <Button variant="default" onClick={() => begin.mutate()}>
            Try again
          </Button>
          {otherwise}
        </Group>
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
      <CodeInput value={code} onChange={setCode} onComplete={submit} isBusy={enable.isPending} maw={220} autoFocus />
      <Group>
        <Button onClick={() => submit(code)} disabled={code.length < 6} loading={enable.isPending}>
          Turn on
        </Button>
        {otherwise}
      </Group>
    </Stack>
  )
}
