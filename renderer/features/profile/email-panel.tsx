import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Me } from '../../../shared/api/profile.ts'
import { emailAddress } from '../../../shared/fields.ts'
import { fieldErrorsOf } from '../../lib/error-words.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { FormError } from '../../ui/form-error.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { changeMe, resendLink } from './data.ts'

export function EmailPanel({ me }: { me: Me }) {
  const [isChanging, setChanging] = useState(false)
  const [isUnsent, setUnsent] = useState(false)
  const { pendingEmail } = me
  const resend = useMutation({
    // A link to a new address is made by asking for that address again.
    mutationFn: async () => {
      if (!pendingEmail) return resendLink.mutationFn()
      const { verificationSent } = await changeMe.mutationFn({ email: pendingEmail })
      setUnsent(!verificationSent)
    },
    onSuccess: () => notifyDone('The link is on its way'),
    onError: notifyFailed('The link was not sent'),
  })
  return (
    <Panel
      title="E-mail"
      actions={
        <Button size="xs" variant="default" onClick={() => setChanging(true)}>
          Change
        </Button>
      }
    >
      <Group gap="sm">
        <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {me.email}
        </Text>
        <Text size="sm" component="span">
          <StatusDot tone={me.emailVerified ? 'good' : 'warn'}>
            {me.emailVerified ? 'Confirmed' : 'Not confirmed'}
          </StatusDot>
        </Text>
      </Group>
      <Text size="sm" c="dimmed" mt={4}>
        You sign in with it, and links to a new password go there.
      </Text>
      {pendingEmail && (
        <Alert variant="light" mt="sm" p="sm" role="status">
          <Text size="sm">
            Waiting for <b>{pendingEmail}</b>, asked for <RelativeTime at={me.pendingEmailRequestedAt} />. Follow the
            link in the mail that goes there. Until then {me.email} stays in use.
          </Text>
        </Alert>
      )}
      {isUnsent && <Unsent />}
      {(pendingEmail || !me.emailVerified) && (
        <Button size="xs" variant="default" mt="sm" loading={resend.isPending} onClick={() => resend.mutate()}>
          Send the link again
        </Button>
      )}
      <Modal opened={isChanging} onClose={() => setChanging(false)} title="Change your e-mail address">
        <EmailForm
          me={me}
          onDone={(isSent) => {
            setUnsent(!isSent)
            setChanging(false)
          }}
        />
      </Modal>
    </Panel>
  )
}

function Unsent() {
  return (
    <Alert color="yellow" variant="light" mt="sm" p="sm" role="alert">
      <Text size="sm">This appliance can not send mail yet. The link goes out as soon as a mail server is set.</Text>
    </Alert>
  )
}

function EmailForm({ me, onDone }: { me: Me; onDone: (isSent: boolean) => void }) {
  const form = useForm({
    initialValues: { email: '' },
    validate: {
      email: (email) => {
        const parsed = emailAddress.safeParse(email)
        if (!parsed.success) return 'Enter an e-mail address'
        return parsed.data === me.email ? 'That is your address already' : null
      },
    },
  })
  const save = useMutation({
    ...changeMe,
    onSuccess: async ({ verificationSent }) => {
      await changeMe.onSuccess()
      onDone(verificationSent)
    },
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        <Text size="sm">
          A link goes to the new address. Once you have followed it, that address is yours, and you sign in again
          everywhere. {me.email} is told about it.
        </Text>
        <FormError error={save.error} />
        <TextInput
          label="New e-mail address"
          type="email"
          autoComplete="email"
          data-autofocus
          {...form.getInputProps('email')}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            Send the link
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
