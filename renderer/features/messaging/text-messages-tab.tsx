import { SegmentedControl, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  removeSmsProvider,
  type SmsProvider,
  type SmsSettings,
  saveSmsProvider,
  smsSettingsQuery,
  testSms,
} from '../../data/messaging.ts'
import { notifyDone } from '../../lib/notify.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Failed, Lines } from '../../ui/states.tsx'
import type { Frame } from './provider-panels.tsx'
import { RemoveProvider } from './remove-provider.tsx'
import { FromEnvironment } from './set-by-environment.tsx'
import { GatewayForm } from './sms-gateway-form.tsx'
import { type Entered, TestPanel } from './test-panel.tsx'
import { TwilioForm } from './twilio-form.tsx'

export function TextMessagesTab() {
  const { data: settings, error, refetch } = useQuery(smsSettingsQuery)
  if (error && !settings) return <Failed error={error} onRetry={refetch} />
  if (!settings) return <Lines />
  if (settings.source === 'environment')
    return (
      <FromEnvironment title="Provider" test={<SmsTest />}>
        <Environment settings={settings} />
      </FromEnvironment>
    )
  return <Provider key={JSON.stringify(settings)} settings={settings} />
}

function Environment({ settings: { twilio, gateway } }: { settings: SmsSettings }) {
  return (
    <Facts>
      <Fact name="Provider">{twilio ? 'Twilio' : 'Gateway'}</Fact>
      {twilio && <Fact name="Account">{twilio.accountSid}</Fact>}
      {twilio && <Fact name="Sender">{twilio.from}</Fact>}
      {gateway && <Fact name="Address">{gateway.url}</Fact>}
      {gateway && <Fact name="Header">{gateway.headerName ?? 'None'}</Fact>}
    </Facts>
  )
}

const names = { twilio: 'Twilio', gateway: 'the gateway' }

function Provider({ settings }: { settings: SmsSettings }) {
  const [provider, setProvider] = useState(settings.provider ?? 'twilio')
  const save = useMutation({
    ...saveSmsProvider,
    onSuccess: async (_reply, saved) => {
      notifyDone(`Text messages go through ${names[saved.provider]} now`)
      await saveSmsProvider.onSuccess()
    },
  })
  const frame: Frame<SmsProvider> = {
    title: 'Provider',
    head: (
      <>
        {!settings.provider && (
          <Text size="sm" c="dimmed">
            No provider is set, so text messages are not offered as a second factor.
          </Text>
        )}
        <SegmentedControl
          size="xs"
          aria-label="Provider of text messages"
          value={provider}
          onChange={(next) => setProvider(next as typeof provider)}
          data={[
            { value: 'twilio', label: 'Twilio' },
            { value: 'gateway', label: 'Another gateway' },
          ]}
        />
      </>
    ),
    save,
    remove: settings.provider && (
      <RemoveProvider what="provider" remove={removeSmsProvider}>
        No text message leaves the appliance then. Whoever has nothing but text messages needs a recovery code to sign
        in.
      </RemoveProvider>
    ),
    test: (entered) => <SmsTest entered={entered} />,
  }
  return provider === 'twilio' ? (
    <TwilioForm twilio={settings.twilio} {...frame} />
  ) : (
    <GatewayForm gateway={settings.gateway} {...frame} />
  )
}

function SmsTest({ entered }: { entered?: Entered<SmsProvider> }) {
  return (
    <TestPanel
      title="Test message"
      channel="texts"
      label="Phone number"
      type="tel"
      placeholder="+49 170 1234567"
      button="Send a test message"
      send={testSms}
      entered={entered}
      answer={() => 'The provider took it. It should arrive within a minute.'}
    />
  )
}
