import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Me } from '../../../shared/api/profile.ts'
import { emailAddress } from '../../../shared/fields.ts'
import { changeProfile, withdrawNewEmail } from '../../data/profile.ts'
import { resendVerificationMail } from '../../data/registration.ts'
import { MailUnavailableNotice } from '../../domain/messaging/mail-unavailable-notice.tsx'
import { useMailDelivery } from '../../domain/messaging/use-mail-delivery.ts'
import { fieldErrorsOf } from '../../lib/error-messages.ts'
import { exactTime } from '../../lib/format.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { useNow } from '../../lib/now.ts'
import { useUnsavedChanges } from '../../lib/unsaved-changes.ts'
import { FormError } from '../../ui/form-error.tsx'
import { Panel } from '../../ui/panel.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

export function EmailPanel({ me }: { me: Me }) {
  const [isChanging, setChanging] = useState(false)
  return (
    <Panel
      title="Email"
      actions={
        !me.isPasswordClosed && (
          <Button size="xs" variant="default" onClick={() => setChanging(true)}>
            Change
          </Button>
        )
      }
    >
      <Group gap="sm">
        <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {me.email}
        </Text>
        {/* Nothing is said of a verified address: for some, the creator of the account vouched. */}
        {!me.emailVerified && (
          <Text size="sm" component="span">
            <StatusDot tone="warn">Not confirmed</StatusDot>
          </Text>
        )}
      </Group>
      <Text size="sm" c="dimmed" mt={4}>
        {aboutAddress(me)}
      </Text>
      {(me.pendingEmail || !me.emailVerified) && <Unconfirmed me={me} />}
      <Modal opened={isChanging} onClose={() => setChanging(false)} title="Change your email address">
        <EmailForm me={me} onDone={() => setChanging(false)} />
      </Modal>
    </Panel>
  )
}

function aboutAddress({ isPasswordClosed, hasPassword }: Me): string {
  if (isPasswordClosed) return 'Managed by your identity provider, so it can’t be changed here.'
  if (!hasPassword) return 'Homeport sends notifications there.'
  return 'Used to sign in and to reset your password.'
}

/** An address that waits for its link: the new one, or the current one. */
function Unconfirmed({ me: { email, pendingEmail, pendingEmailExpiresAt } }: { me: Me }) {
  const isSent = useMailDelivery() === 'server'
  const resend = useMutation({
    // A link to a new address is sent by requesting that address again.
    mutationFn: async () => {
      if (pendingEmail) await changeProfile.mutationFn({ email: pendingEmail })
      else await resendVerificationMail.mutationFn()
    },
    onSuccess: async () => {
      notifyDone(isSent ? 'Link sent' : 'New link requested')
      await changeProfile.onSuccess()
    },
    onError: notifyFailed(isSent ? 'The link wasn’t sent' : 'No new link was requested'),
  })
  const withdraw = useMutation({
    ...withdrawNewEmail,
    onSuccess: () => notifyDone('Change canceled'),
    onError: notifyFailed('The change wasn’t canceled'),
  })
  return (
    <Stack gap="sm" mt="sm">
      {pendingEmail && pendingEmailExpiresAt && (
        <Waiting email={email} pendingEmail={pendingEmail} until={pendingEmailExpiresAt} />
      )}
      <MailUnavailableNotice />
      <Group gap="xs">
        <Button size="xs" variant="default" loading={resend.isPending} onClick={() => resend.mutate()}>
          {isSent ? 'Send link again' : 'Request link again'}
        </Button>
        {pendingEmail && (
          <Button size="xs" variant="default" loading={withdraw.isPending} onClick={() => withdraw.mutate()}>
            Cancel change
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function Waiting({ email, pendingEmail, until }: { email: string; pendingEmail: string; until: string }) {
  const isExpired = useNow() > Date.parse(until)
  const isSent = useMailDelivery() === 'server'
  return (
    <Alert variant="light" p="sm" role="status" {...(isExpired && { color: 'yellow' })}>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {isExpired ? (
          <>
            The link for <b>{pendingEmail}</b> has expired. {email} stays in use.
          </>
        ) : (
          <>
            Waiting for <b>{pendingEmail}</b>. Follow {isSent ? 'the link we sent there' : 'its link'} by{' '}
            {exactTime(until)}. Until then {email} stays in use.
          </>
        )}
      </Text>
    </Alert>
  )
}

function EmailForm({ me, onDone }: { me: Me; onDone: () => void }) {
  const isSent = useMailDelivery() === 'server'
  const form = useForm({
    initialValues: { email: '' },
    validate: {
      email: (email) => {
        const parsed = emailAddress.safeParse(email)
        if (!parsed.success) return 'Enter an email address'
        return parsed.data === me.email ? 'That’s already your address' : null
      },
    },
  })
  useUnsavedChanges(form.isDirty())
  const save = useMutation({
    ...changeProfile,
    onSuccess: async () => {
      await changeProfile.onSuccess()
      onDone()
    },
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        <Text size="sm">
          {isSent ? 'We’ll send a link to the new address.' : 'The new address has to be confirmed by a link.'} After
          you follow it, your address changes and you’ll need to sign in again everywhere.{' '}
          {isSent && `${me.email} will be notified.`}
        </Text>
        <MailUnavailableNotice />
        <FormError error={save.error} />
        <TextInput
          label="New email address"
          type="email"
          autoComplete="email"
          data-autofocus
          {...form.getInputProps('email')}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            {isSent ? 'Send link' : 'Request link'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
