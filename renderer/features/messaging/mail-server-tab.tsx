import { Alert, Stack, Text } from '@mantine/core'
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
import { Copyable } from '../../ui/copyable.tsx'
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
      // The form is made anew with what is saved: a test sent before would be forgotten.
      await saveMailServer.onSuccess()
      if (!reply.problem) notifyDone('Mail server saved. Waiting email is being sent now')
    },
  })
  if (error && !settings) return <LoadFailed error={error} onRetry={refetch} />
  if (!settings) return <SkeletonLines />
  if (settings.source === 'environment')
    return (
      <SetByEnvironment title="Mail server" test={<MailTest isWritten={settings.provider === 'file'} />}>
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
        Saved, but email can’t be sent yet
      </Text>
      <DeliveryError error={problem} channel="mail" />
    </Alert>
  )
}

function Environment({ settings: { folder, smtp } }: { settings: MailSettings }) {
  if (folder !== null)
    return (
      <Stack gap="xs">
        <Text size="sm">
          Email is written to files and not sent (EMAIL_PROVIDER=file). Links in them open accounts, so only the user
          that runs the appliance may read them:
        </Text>
        <Copyable text={folder} label="Copy path" />
      </Stack>
    )
  if (!smtp) return null
  return (
    <Facts>
      <Fact name="Server">
        {smtp.host}, port {smtp.port}
      </Fact>
      <Fact name="Encryption">{smtp.secure ? 'TLS from the start' : 'STARTTLS if the server offers it'}</Fact>
      <Fact name="Certificate">{smtp.verifyCertificate ? 'Verified' : 'Not verified'}</Fact>
      <Fact name="Username">{smtp.user ?? 'None'}</Fact>
      <Fact name="From">{smtp.from}</Fact>
    </Facts>
  )
}

interface TestProps {
  /** To a file, instead of being sent. */
  isWritten?: boolean
  entered?: TestInput<SmtpSettings>
  onTaken?: () => void
}

function MailTest({ isWritten = false, ...props }: TestProps) {
  const me = useMe()
  return (
    <TestPanel
      title="Test email"
      channel="mail"
      label="Recipient"
      type="email"
      initial={me.email}
      button={isWritten ? 'Write test email' : 'Send test email'}
      send={sendTestMailMutation}
      {...props}
      answer={({ response }) => (isWritten ? response : `The mail server accepted it: ${response}`)}
    />
  )
}
