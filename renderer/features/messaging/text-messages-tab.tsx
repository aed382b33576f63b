import { SegmentedControl, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  removeSmsProvider,
  type SmsProvider,
  type SmsSettings,
  saveSmsProvider,
  sendTestSmsMutation,
  smsSettingsQuery,
} from '../../data/messaging.ts'
import { notifyDone } from '../../lib/notify.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { LoadFailed, SkeletonLines } from '../../ui/states.tsx'
import type { ProviderSettings } from './provider-panels.tsx'
import { RemoveProvider } from './remove-provider.tsx'
import { SetByEnvironment } from './set-by-environment.tsx'
import { SmsGatewayForm } from './sms-gateway-form.tsx'
import { type TestInput, TestPanel } from './test-panel.tsx'
import { TwilioForm } from './twilio-form.tsx'

export function TextMessagesTab() {
  const { data: settings, error, refetch } = useQuery(smsSettingsQuery)
  if (error && !settings) return <LoadFailed error={error} onRetry={refetch} />
  if (!settings) return <SkeletonLines />
  if (settings.source === 'environment')
    return (
      <SetByEnvironment title="Provider" test={<SmsTest />}>
        <Environment settings={settings} />
      </SetByEnvironment>
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
      await saveSmsProvider.onSuccess()
      notifyDone(`Text messages now go through ${names[saved.provider]}`)
    },
  })
  const frame: ProviderSettings<SmsProvider> = {
    title: 'Provider',
    head: (
      <>
        {!settings.provider && (
          <Text size="sm" c="dimmed">
            No provider is set up, so text messages aren’t offered as a second factor.
          </Text>
        )}
        <SegmentedControl
          size="xs"
          aria-label="Text message provider"
          value={provider}
          onChange={(next) => setProvider(next as typeof provider)}
          data={[
            { value: 'twilio', label: 'Twilio' },
            { value: 'gateway', label: 'Other gateway' },
          ]}
        />
      </>
    ),
    save,
    remove: settings.provider && (
      <RemoveProvider what="provider" remove={removeSmsProvider}>
        The appliance will no longer send text messages. People whose only second factor is text messages need a
        recovery code to sign in.
      </RemoveProvider>
    ),
    test: (entered) => <SmsTest entered={entered} />,
  }
  return provider === 'twilio' ? (
    <TwilioForm twilio={settings.twilio} {...frame} />
  ) : (
    <SmsGatewayForm gateway={settings.gateway} {...frame} />
  )
}

function SmsTest({ entered }: { entered?: TestInput<SmsProvider> }) {
  return (
    <TestPanel
      title="Test message"
      channel="texts"
      label="Phone number"
      type="tel"
      placeholder="+49 170 1234567"
      button="Send test message"
      send={sendTestSmsMutation}
      entered={entered}
      answer={() => 'The provider accepted it. It should arrive within a minute.'}
    />
  )
}
