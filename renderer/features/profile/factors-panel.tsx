import { Alert, Button, Modal, Text } from '@mantine/core'
import { IconDeviceMobileMessage, IconQrcode } from '@tabler/icons-react'
import { useState } from 'react'
import type { authMe } from '../../../shared/api/auth.ts'
import type { Passkey } from '../../../shared/api/passkeys.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { factorsChanged } from '../../data/mfa.ts'
import type { EnrollmentOptions } from '../../domain/mfa/factor-methods.ts'
import { dateOnly } from '../../lib/format.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useMe, usesPassword } from '../../lib/session.ts'
import { Panel } from '../../ui/panel.tsx'
import { EnrollDialog } from './enroll-dialog.tsx'
import classes from './factor-row.module.css'
import { FactorRow } from './factor-row.tsx'
import { PasskeyRow } from './passkey-row.tsx'
import { TurnOffMfaForm } from './turn-off-mfa-form.tsx'

interface Props {
  account: ReplyOf<typeof authMe>['user']
  rules: EnrollmentOptions
  passkeys: Passkey[]
}
type Dialog = 'add' | 'app' | 'phone' | 'turn-off'

export function FactorsPanel({ account, rules, passkeys }: Props) {
  const [dialog, setDialog] = useState<Dialog | null>(null)
  const close = async () => {
    setDialog(null)
    await factorsChanged()
  }
  const finish = async (message: string) => {
    notifyDone(message)
    await close()
  }
  return (
    <Panel
      title="Second factors"
      actions={
        <Button size="xs" variant={account.mfaEnabled ? 'default' : 'filled'} onClick={() => setDialog('add')}>
          {account.mfaEnabled ? 'Add another' : 'Set up two-factor authentication'}
        </Button>
      }
    >
      {account.mfaEnabled ? (
        <FactorList account={account} rules={rules} passkeys={passkeys} onReplace={setDialog} />
      ) : (
        <NoFactor />
      )}
      {account.mfaEnabled && rules.mfaRequiredBy === null && (
        <Button size="xs" variant="default" onClick={() => setDialog('turn-off')}>
          Turn off…
        </Button>
      )}
      {account.mfaEnabled && rules.mfaRequiredBy !== null && (
        <Text size="sm" c="dimmed">
          Your {rules.mfaRequiredBy} requires a second factor, so it can’t be turned off.
        </Text>
      )}
      <EnrollDialog
        title={account.mfaEnabled ? 'Another second factor' : 'Set up two-factor authentication'}
        isOpen={dialog === 'add'}
        onClose={close}
        onDone={() => finish('Second factor set up')}
      />
      <EnrollDialog
        title="Replace the authenticator app"
        isOpen={dialog === 'app'}
        kind="app"
        onClose={close}
        onDone={() => finish('Authenticator app replaced')}
      />
      <EnrollDialog
        title="Change the phone number"
        isOpen={dialog === 'phone'}
        kind="phone"
        onClose={close}
        onDone={() => finish('Codes now go to the new number')}
      />
      <Modal opened={dialog === 'turn-off'} onClose={close} title="Turn off two-factor authentication?">
        <TurnOffMfaForm account={account} onDone={close} />
      </Modal>
    </Panel>
  )
}

interface ListProps extends Props {
  onReplace: (which: 'app' | 'phone') => void
}

function FactorList({ account, rules, passkeys, onReplace }: ListProps) {
  const me = useMe()
  return (
    <ul className={classes.list} aria-label="Second factors">
      {account.mfaMethod === 'totp' && (
        <FactorRow
          icon={<IconQrcode size={22} stroke={1.6} />}
          name="Authenticator app"
          actions={
            <Button size="xs" variant="default" onClick={() => onReplace('app')}>
              Replace
            </Button>
          }
        >
          A code that changes every 30 seconds
        </FactorRow>
      )}
      {account.mfaMethod === 'sms' && (
        <FactorRow
          icon={<IconDeviceMobileMessage size={22} stroke={1.6} />}
          name="Text message"
          actions={
            <Button size="xs" variant="default" onClick={() => onReplace('phone')}>
              Change number
            </Button>
          }
        >
          To the number ending in {account.phoneLast4}
        </FactorRow>
      )}
      {passkeys.map((passkey) => (
        <PasskeyRow
          key={passkey.id}
          passkey={passkey}
          isPasswordNeeded={usesPassword(me)}
          isRequired={rules.passkeyNeeded && passkeys.length === 1}
        />
      ))}
    </ul>
  )
}

function NoFactor() {
  const me = useMe()
  const { deadline } = me.mfaEnrollment
  return (
    <>
      <Text size="sm" c="dimmed">
        A second factor protects your account even if{' '}
        {usesPassword(me) ? 'your password is stolen' : 'your identity provider doesn’t'}.
      </Text>
      {deadline && (
        <Alert color="yellow" variant="light" p="sm" mt="sm">
          Your role requires one by {dateOnly(deadline)}.
        </Alert>
      )}
    </>
  )
}
