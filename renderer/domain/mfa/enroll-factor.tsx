import { Button, Stack, Text, UnstyledButton } from '@mantine/core'
import { IconDeviceMobileMessage, IconFingerprint, IconQrcode } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ComponentType, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { MfaMethod } from '../../../shared/api/auth.ts'
import { enrollmentOptionsQuery, useIsEnrolling } from '../../data/mfa.ts'
import { canUsePasskeys } from '../../lib/passkeys.ts'
import { meQuery, useMe } from '../../lib/session.ts'
import { LoadFailed, SkeletonLines } from '../../ui/states.tsx'
import { EnrollApp } from './enroll-app.tsx'
import classes from './enroll-factor.module.css'
import { EnrollPasskey, NoPasskeysHere } from './enroll-passkey.tsx'
import { EnrollPhone } from './enroll-phone.tsx'
import { addableFactors, type EnrollmentOptions } from './factor-methods.ts'
import { RecoveryCodes } from './recovery-codes.tsx'

export type FactorKind = 'app' | 'passkey' | 'phone'

interface Props {
  /** Skips the choice. */
  kind?: FactorKind
  /** Called when recovery codes are about to be shown, and when they no longer are: leaving would lose them. */
  onHold?: (isHeld: boolean) => void
  /** After the recovery codes, if there are any; also if the first factor was added in another window meanwhile. */
  onDone: () => void
  /** An alternative, such as a button that skips the enrollment. */
  otherwise?: ReactNode
}

/** Lets the user choose and set up a second factor, and shows the recovery codes that come with the first one. */
export function EnrollFactor({ kind: only, onHold, onDone, otherwise }: Props) {
  const me = useMe()
  // The state at the start: once the factor is added, the account has another one.
  const [{ primary, hadFactor }] = useState({ primary: me.mfaMethod, hadFactor: me.mfaEnabled })
  const { data: options, error, refetch } = useQuery(enrollmentOptionsQuery)
  const [kind, setKind] = useState<FactorKind | null>(only ?? null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const finish = (recoveryCodes: string[]) => {
    if (recoveryCodes.length === 0) return onDone()
    setCodes(recoveryCodes)
  }
  const isHeld = useIsEnrolling() || codes !== null
  useReportHold(isHeld, onHold)
  useQuery({ ...meQuery, refetchOnWindowFocus: 'always' })
  useDoneElsewhere(!hadFactor && me.mfaEnabled && !isHeld, onDone)

  if (codes) return <RecoveryCodes codes={codes} isFirst={primary === null} onDone={onDone} />
  if (error && !options) return <LoadFailed error={error} onRetry={refetch} />
  if (!options) return <SkeletonLines count={3} height={56} />
  if (kind === null) return <Chooser primary={primary} options={options} onChoose={setKind} otherwise={otherwise} />
  const Form = forms[kind]
  const back = only === undefined && (
    <Button variant="subtle" color="gray" onClick={() => setKind(null)}>
      Another way
    </Button>
  )
  return <Form primary={primary} onDone={finish} otherwise={back} />
}

function useReportHold(isHeld: boolean, onHold: Props['onHold']) {
  const report = useEffectEvent((isHeld: boolean) => onHold?.(isHeld))
  useEffect(() => report(isHeld), [isHeld])
}

/** Another window has added the factor: nothing is left to do here. */
function useDoneElsewhere(isDoneElsewhere: boolean, onDone: () => void) {
  const leave = useEffectEvent(onDone)
  useEffect(() => {
    if (isDoneElsewhere) leave()
  }, [isDoneElsewhere])
}

interface FormProps {
  primary: MfaMethod | null
  onDone: (codes: string[]) => void
  otherwise: ReactNode
}

const forms: Record<FactorKind, ComponentType<FormProps>> = {
  app: EnrollApp,
  passkey: EnrollPasskey,
  phone: EnrollPhone,
}

interface ChooserProps {
  primary: MfaMethod | null
  options: EnrollmentOptions
  onChoose: (kind: FactorKind) => void
  otherwise: ReactNode
}

function Chooser({ primary, options, onChoose, otherwise }: ChooserProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The focus is nowhere, or on an ancestor: the former step lost it.
    if (document.activeElement?.contains(list.current)) list.current?.querySelector('button')?.focus()
  }, [])
  const can = addableFactors(primary, options)
  const isPasskeyHere = options.passkeyAddresses === null && canUsePasskeys()
  return (
    <Stack gap="sm" ref={list} role="group" aria-label="Kinds of second factor">
      {can.passkey && isPasskeyHere && (
        <Choice Icon={IconFingerprint} title="Passkey" onClick={() => onChoose('passkey')}>
          Fingerprint, face, PIN or a security key. Nothing to type, and safe from phishing.
        </Choice>
      )}
      {can.app && (
        <Choice
          Icon={IconQrcode}
          title={primary === 'sms' ? 'Authenticator app instead of text messages' : 'Authenticator app'}
          onClick={() => onChoose('app')}
        >
          {primary === 'sms'
            ? 'Your account can use one of the two. Text messages keep working until the app is set up.'
            : 'An app on your phone shows a code that changes every 30 seconds.'}
        </Choice>
      )}
      {can.phone && (
        <Choice
          Icon={IconDeviceMobileMessage}
          title={primary === 'totp' ? 'Text message instead of the authenticator app' : 'Text message'}
          onClick={() => onChoose('phone')}
        >
          {primary === 'totp'
            ? 'Your account can use one of the two. The app keeps working until your number is confirmed.'
            : 'We’ll text you a code when you sign in.'}
        </Choice>
      )}
      {can.passkey && !isPasskeyHere && <NoPasskeysHere addresses={options.passkeyAddresses ?? []} />}
      {!can.app && !can.phone && !isPasskeyHere && (
        <Text size="sm">You already have every second factor that’s available here.</Text>
      )}
      {otherwise && <div>{otherwise}</div>}
    </Stack>
  )
}

interface ChoiceProps {
  Icon: typeof IconQrcode
  title: string
  children: string
  onClick: () => void
}

function Choice({ Icon, title, children, onClick }: ChoiceProps) {
  return (
    <UnstyledButton className={classes.choice} onClick={onClick}>
      <Icon size={24} stroke={1.6} aria-hidden className={classes.icon} />
      <span>
        <Text component="span" size="sm" fw={600} display="block">
          {title}
        </Text>
        <Text component="span" size="sm" c="dimmed" display="block">
          {children}
        </Text>
      </span>
    </UnstyledButton>
  )
}
