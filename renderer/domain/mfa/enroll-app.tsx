import { Button, Group, Image, Skeleton, Stack, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconExternalLink } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useEffect, useId, useState } from 'react'
import type { MfaMethod } from '../../../shared/api/auth.ts'
import { finishAppEnrollment, startAppEnrollment } from '../../data/mfa.ts'
import { ApiError } from '../../lib/api-error.ts'
import { CodeInput } from '../../ui/code-input.tsx'
import { CopyIcon } from '../../ui/copy-button.tsx'
import { FormError } from '../../ui/form-error.tsx'
import classes from './enroll-factor.module.css'

interface Props {
  /** The current method of the account; the app replaces an app or a phone. */
  primary: MfaMethod | null
  onDone: (recoveryCodes: string[]) => void
  otherwise: ReactNode
}

/** Enrolls an authenticator app: QR code first, then the code that proves it. */
export function EnrollApp({ primary, onDone, otherwise }: Props) {
  const begin = useMutation(startAppEnrollment)
  const enable = useMutation({ ...finishAppEnrollment, onSuccess: onDone })
  const [code, setCode] = useState('')
  const secretId = useId()
  const isTouch = useMediaQuery('(pointer: coarse)')
  const isReplacement = primary !== null
  const start = begin.mutate
  useEffect(() => start(isReplacement), [start, isReplacement])
  const submit = (given: string) => enable.mutate(given, { onError: () => setCode('') })

  const startAgain = () => {
    enable.reset()
    setCode('')
    start(isReplacement)
  }

  const isSetupExpired = enable.error instanceof ApiError && enable.error.code === 'mfa_setup_missing'
  if (begin.error || isSetupExpired) {
    return (
      <Stack>
        <FormError error={begin.error ?? enable.error} />
        <Group>
          <Button variant="default" loading={begin.isPending} onClick={startAgain}>
            {isSetupExpired ? 'Start over' : 'Try again'}
          </Button>
          {otherwise}
        </Group>
      </Stack>
    )
  }
  return (
    <Stack>
      {primary && primary !== 'passkey' && <Text size="sm">{replacementNotices[primary]}</Text>}
      <Text size="sm">
        1. Scan this code with an authenticator app such as Aegis, 1Password or Microsoft Authenticator.
      </Text>
      <Group gap="lg" align="center">
        {begin.data ? (
          <Image src={begin.data.qrCodeDataUrl} alt="QR code for the authenticator app" className={classes.picture} />
        ) : (
          <Skeleton w={168} h={168} />
        )}
        <Stack id={secretId} gap={4} flex="1 1 180px">
          {isTouch && begin.data && (
            // The code is on the screen of the phone that would scan it.
            <Button
              component="a"
              href={begin.data.otpAuthUrl}
              variant="default"
              leftSection={<IconExternalLink size={16} />}
              mb="xs"
            >
              Open in an authenticator app
            </Button>
          )}
          <Text size="xs" c="dimmed">
            Can’t scan it? Enter this secret:
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
      <Text size="sm">2. Enter the six-digit code from the app.</Text>
      <FormError error={enable.error} />
      <CodeInput
        value={code}
        onChange={setCode}
        onComplete={submit}
        isBusy={enable.isPending}
        // The focus is here at once; the secret stands before it.
        aria-describedby={secretId}
        maw={220}
        autoFocus
        data-autofocus
      />
      <Group>
        <Button onClick={() => submit(code)} disabled={code.length < 6} loading={enable.isPending}>
          {primary === 'totp' ? 'Use this app' : 'Turn on'}
        </Button>
        {otherwise}
      </Group>
    </Stack>
  )
}

const replacementNotices = {
  totp: 'Your current app keeps working until you confirm a code from the new one. After that only the new app works, your other sessions end, and you get new recovery codes.',
  sms: 'The app replaces text messages. They keep working until you confirm a code from the app. After that your number is removed, your other sessions end, and you get new recovery codes.',
}
