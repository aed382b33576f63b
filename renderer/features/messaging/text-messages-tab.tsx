import { SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Failed, Lines } from '../../ui/states.tsx'
import { type SmsSettings, smsSettingsQuery, testSms } from './data.ts'
import { GatewayForm } from './gateway-form.tsx'
import { SetByEnvironment } from './provider-source.tsx'
import { RemoveProvider } from './remove-provider.tsx'
import { TestMessage } from './test-message.tsx'
import { TwilioForm } from './twilio-form.tsx'

export function TextMessagesTab() {
  const { data: settings, error, refetch } = useQuery(smsSettingsQuery)
  if (error && !settings) return <Failed error={error} onRetry={refetch} />
  if (!settings) return <Lines />
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} style={{ alignItems: 'start' }}>
      <Panel title="Provider">
        {settings.source === 'environment' ? (
          <FromEnvironment settings={settings} />
        ) : (
          <Provider key={JSON.stringify(settings)} settings={settings} />
        )}
      </Panel>
      {settings.source !== 'none' && <TestPanel />}
    </SimpleGrid>
  )
}

function FromEnvironment({ settings: { twilio, gateway } }: { settings: SmsSettings }) {
  return (
    <>
      <SetByEnvironment>
        The provider of text messages is set by the environment of the appliance (SMS_PROVIDER and others).
      </SetByEnvironment>
      <Facts>
        <Fact name="Provider">{twilio ? 'Twilio' : 'Gateway'}</Fact>
        {twilio && <Fact name="Account">{twilio.accountSid}</Fact>}
        {twilio && <Fact name="Sender">{twilio.from}</Fact>}
        {gateway && <Fact name="Address">{gateway.url}</Fact>}
        {gateway && <Fact name="Header">{gateway.headerName ?? 'None'}</Fact>}
      </Facts>
    </>
  )
}

function Provider({ settings }: { settings: SmsSettings }) {
  const [provider, setProvider] = useState(settings.provider ?? 'twilio')
  const remove = settings.provider && <RemoveProvider />
  return (
    <Stack gap="sm">
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
      {provider === 'twilio' ? (
        <TwilioForm twilio={settings.twilio} remove={remove} />
      ) : (
        <GatewayForm gateway={settings.gateway} remove={remove} />
      )}
    </Stack>
  )
}

function TestPanel() {
  const send = useMutation(testSms)
  return (
    <Panel title="Test message">
      <TestMessage
        label="Phone number"
        type="tel"
        placeholder="+491701234567"
        initial=""
        button="Send a test message"
        send={send}
        answer={send.isSuccess ? 'The provider took it. It should arrive within a minute.' : null}
      />
    </Panel>
  )
}
