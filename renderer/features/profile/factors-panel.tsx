import { Alert, Button, Modal, Text } from '@mantine/core'
import { IconDeviceMobileMessage, IconQrcode } from '@tabler/icons-react'
import { useState } from 'react'
import type { authMe } from '../../../shared/api/auth.ts'
import type { Passkey } from '../../../shared/api/passkeys.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { dateOnly } from '../../lib/format.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useMe } from '../../lib/session.ts'
import { Panel } from '../../ui/panel.tsx'
import { factorChanged } from '../mfa/data.ts'
import { EnrollFactor } from '../mfa/enroll-factor.tsx'
import { EnrollPhone } from '../mfa/enroll-phone.tsx'
import classes from './factor.module.css'
import { Factor } from './factor.tsx'
import { PasskeyRow } from './passkey-row.tsx'
import { TurnOff } from './turn-off.tsx'

type Account = ReplyOf<typeof authMe>['user']
type Dialog = 'add' | 'phone' | 'turn-off' | null

export function FactorsPanel({ account, passkeys }: { account: Account; passkeys: Passkey[] }) {
  const [dialog, setDialog] = useState<Dialog>(null)
  const close = async () => {
    setDialog(null)
    await factorChanged()
  }
  return (
    <Panel
      title="Second factors"
      actions={
        <Button size="xs" variant={account.mfaEnabled ? 'default' : 'filled'} onClick={() => setDialog('add')}>
          {account.mfaEnabled ? 'Add another' : 'Set up a second factor'}
        </Button>
      }
    >
      {account.mfaEnabled ? (
        <FactorList account={account} passkeys={passkeys} onChangePhone={() => setDialog('phone')} />
      ) : (
        <NoFactor />
      )}
      {account.mfaEnabled && (
        <Button size="xs" variant="default" onClick={() => setDialog('turn-off')}>
          Turn the second factor off…
        </Button>
      )}
      <Modal
        opened={dialog === 'add'}
        onClose={close}
        title={account.mfaEnabled ? 'Add a factor' : 'Set up a second factor'}
        size="lg"
        closeOnEscape={false}
        closeOnClickOutside={false}
      >
        <EnrollFactor
          onDone={async () => {
            notifyDone('The factor is added')
            await close()
          }}
        />
      </Modal>
      <Modal opened={dialog === 'phone'} onClose={close} title="Change the phone number" closeOnClickOutside={false}>
        <EnrollPhone
          isReplacement
          onDone={async () => {
            notifyDone('Codes go to the new number')
            await close()
          }}
          otherwise={null}
        />
      </Modal>
      <Modal opened={dialog === 'turn-off'} onClose={close} title="Turn the second factor off?">
        <TurnOff account={account} onDone={close} />
      </Modal>
    </Panel>
  )
}

interface ListProps {
  account: Account
  passkeys: Passkey[]
  onChangePhone: () => void
}

function FactorList({ account, passkeys, onChangePhone }: ListProps) {
  return (
    <ul className={classes.list} aria-label="Second factors">
      {account.mfaMethod === 'totp' && (
        <Factor icon={<IconQrcode size={22} stroke={1.6} />} name="Authenticator app">
          A code that changes every 30 seconds
        </Factor>
      )}
      {account.mfaMethod === 'sms' && (
        <Factor
          icon={<IconDeviceMobileMessage size={22} stroke={1.6} />}
          name="Text message"
          actions={
            <Button size="xs" variant="default" onClick={onChangePhone}>
              Change number
            </Button>
          }
        >
          To the number ending in {account.phoneLast4}
        </Factor>
      )}
      {passkeys.map((passkey) => (
        <PasskeyRow key={passkey.id} passkey={passkey} isPasswordNeeded={account.hasPassword} />
      ))}
    </ul>
  )
}

function NoFactor() {
  const { mfaEnrollment } = useMe()
  return (
    <>
      <Text size="sm" c="dimmed">
        A second factor keeps others out even when your password leaks.
      </Text>
      {mfaEnrollment.deadline && (
        <Alert color="yellow" variant="light" p="sm" mt="sm">
          Your role asks for one by {dateOnly(mfaEnrollment.deadline)}.
        </Alert>
      )}
    </>
  )
}
