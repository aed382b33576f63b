import { Alert, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import {
  type MailSettings,
  mailSettingsQuery,
  type SmtpSettings,
  saveMailServer,
  sendTestMailMutation,
} from '../../data/messaging.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useMe } from '../../lib/session.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { LoadFailed, SkeletonLines } from '../../ui/states.tsx'
import { DeliveryError } from './delivery-error.tsx'
import { MailServerForm } from './mail-server-form.tsx'
import { SetByEnvironment } from './set-by-environment.tsx'
import { type TestInput, TestPanel } from './test-panel.tsx'

export function MailServerTab() {
  const { data: settings, error, refetch } = useQuery(mailSettingsQuery)
  const save = useMutation({
    ...saveMailServer,
    onSuccess: async (reply) => {
      if (!reply.problem) notifyDone('The mail server is saved and answers; waiting mail goes out now')
      await saveMailServer.onSuccess()
    },
  })
  if (error && !settings) return <LoadFailed error={error} onRetry={refetch} />
  if (!settings) return <SkeletonLines />
  if (settings.source === 'environment')
    return (
      <SetByEnvironment title="Mail server" test={<MailTest />}>
        <Environment settings={settings} />
      </SetByEnvironment>
    )
  const problem = settings.source === 'stored' && save.data?.problem
  return (
    <MailServerForm
      key={JSON.stringify(settings.smtp)}
      smtp={settings.smtp}
      save={save}
      outcome={problem && <SavedInVain problem={problem} />}
      test={(entered) => <MailTest entered={entered} onTaken={save.reset} />}
    />
  )
}

function SavedInVain({ problem }: { problem: string }) {
  return (
    <Alert color="yellow" variant="light" p="sm" role="alert">
      <Text size="sm" fw={600}>
        Saved, but no mail can leave yet
      </Text>
      <DeliveryError error={problem} channel="mail" />
    </Alert>
  )
}

function Environment({ settings: { provider, smtp } }: { settings: MailSettings }) {
  if (provider === 'file' || !smtp)
    return <Text size="sm">EMAIL_PROVIDER=file has mail written into files in the data folder.</Text>
  return (
    <Facts>
      <Fact name="Server">
        {smtp.host}, port {smtp.port}
      </Fact>
      <Fact name="Encryption">{smtp.secure ? 'TLS from the start' : 'STARTTLS where the server offers it'}</Fact>
      <Fact name="Certificate">{smtp.verifyCertificate ? 'Checked' : 'Not checked'}</Fact>
      <Fact name="User">{smtp.user ?? 'None'}</Fact>
      <Fact name="Sender">{smtp.from}</Fact>
    </Facts>
  )
}

function MailTest(props: { entered?: TestInput<SmtpSettings>; onTaken?: () => void }) {
  const me = useMe()
  return (
    <TestPanel
      title="Test mail"
      channel="mail"
      label="Send it to"
      type="email"
      initial={me.email}
      button="Send a test mail"
      send={sendTestMailMutation}
      {...props}
      answer={({ response }) => `The mail server took it: ${response}`}
    />
  )
}
