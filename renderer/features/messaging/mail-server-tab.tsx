import { SimpleGrid } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useMe } from '../../lib/session.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Failed, Lines } from '../../ui/states.tsx'
import { type MailSettings, mailSettingsQuery, testMail } from './data.ts'
import { MailServerForm } from './mail-server-form.tsx'
import { SetByEnvironment } from './provider-source.tsx'
import { TestMessage } from './test-message.tsx'

export function MailServerTab() {
  const { data: settings, error, refetch } = useQuery(mailSettingsQuery)
  if (error && !settings) return <Failed error={error} onRetry={refetch} />
  if (!settings) return <Lines />
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} style={{ alignItems: 'start' }}>
      <Panel title="Mail server">
        {settings.source === 'environment' ? (
          <FromEnvironment settings={settings} />
        ) : (
          <MailServerForm key={JSON.stringify(settings.smtp)} smtp={settings.smtp} />
        )}
      </Panel>
      {settings.source !== 'none' && <TestPanel />}
    </SimpleGrid>
  )
}

function FromEnvironment({ settings: { provider, smtp } }: { settings: MailSettings }) {
  if (provider === 'file' || !smtp) {
    return (
      <SetByEnvironment>
        The environment of the appliance (EMAIL_PROVIDER=file) has mail written into files in the data folder.
      </SetByEnvironment>
    )
  }
  return (
    <>
      <SetByEnvironment>
        The mail server is set by the environment of the appliance (SMTP_HOST and others).
      </SetByEnvironment>
      <Facts>
        <Fact name="Server">
          {smtp.host}, port {smtp.port}
        </Fact>
        <Fact name="Encryption">{smtp.secure ? 'TLS from the start' : 'STARTTLS where the server offers it'}</Fact>
        <Fact name="Certificate">{smtp.verifyCertificate ? 'Checked' : 'Not checked'}</Fact>
        <Fact name="User">{smtp.user ?? 'None'}</Fact>
        <Fact name="Sender">{smtp.from}</Fact>
      </Facts>
    </>
  )
}

function TestPanel() {
  const me = useMe()
  const send = useMutation(testMail)
  return (
    <Panel title="Test mail">
      <TestMessage
        label="Send it to"
        type="email"
        initial={me.email}
        button="Send a test mail"
        send={send}
        answer={send.data ? `The mail server took it: ${send.data.response}` : null}
      />
    </Panel>
  )
}
