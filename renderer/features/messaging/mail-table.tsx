import { Text } from '@mantine/core'
import { IconRefresh, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { Mail } from '../../../shared/api/messaging.ts'
import { discardMailMutation, mailSettingsQuery, retryMailMutation } from '../../data/messaging.ts'
import { plural } from '../../lib/format.ts'
import { notifyDone, notifyFailed, notifyPending } from '../../lib/notify.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { type Column, menuColumn } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { DeliveryError } from './delivery-error.tsx'
import { mailStatusOf, mailSubject } from './mail-labels.ts'

export function MailTable({ mails, isStale }: { mails: Mail[]; isStale: boolean }) {
  return (
    <DataTable
      label="Outgoing email"
      rows={mails}
      rowKey={({ id }) => id}
      columns={columns}
      minWidth={760}
      isStale={isStale}
    />
  )
}

const columns: Column<Mail>[] = [
  { id: 'to', title: 'To', look: 'strong', wrap: 'anywhere', cell: ({ to }) => to },
  { id: 'subject', title: 'Subject', cell: ({ kind }) => mailSubject(kind) },
  { id: 'state', title: 'Status', maxWidth: 360, cell: (mail) => <State mail={mail} /> },
  { id: 'written', title: 'Created', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  menuColumn((mail) => (mail.status === 'queued' || mail.status === 'failed') && <MailMenu mail={mail} />),
]

function State({ mail }: { mail: Mail }) {
  const { word, tone } = mailStatusOf(mail)
  return (
    <>
      <StatusDot tone={tone}>{word}</StatusDot>
      <Text size="xs" c="dimmed" component="div" style={{ overflowWrap: 'anywhere' }}>
        {mail.status === 'sent' && <RelativeTime at={mail.sentAt} />}
        {mail.file !== null && <Copyable text={mail.file} label="Copy path" />}
        {mail.status === 'queued' && mail.nextAttemptAt && mail.attempts > 0 && (
          <>
            {plural(mail.attempts, 'attempt')}, next <RelativeTime at={mail.nextAttemptAt} />
          </>
        )}
        {mail.status === 'failed' && `Gave up after ${plural(mail.attempts, 'attempt')}`}
        {mail.status === 'expired' && 'The link in it expired first'}
      </Text>
      {mail.lastError && mail.status !== 'sent' && <DeliveryError error={mail.lastError} channel="mail" />}
    </>
  )
}

function MailMenu({ mail }: { mail: Mail }) {
  const retry = useMutation(retryMailMutation)
  const canLeave = useQuery(mailSettingsQuery).data?.source !== 'none'
  const discard = useMutation(discardMailMutation)
  const confirmDiscard = async () => {
    const isDiscarded = await askToConfirm({
      title: 'Discard this email?',
      consequences: `${mail.to} won’t receive “${mailSubject(mail.kind)}”. Any link in it is lost and has to be requested again.`,
      confirm: 'Discard email',
      run: () => discard.mutateAsync(mail.id),
      failed: 'The email wasn’t discarded',
    })
    if (isDiscarded) notifyDone('Email discarded')
  }
  const tryAgain = () =>
    retry.mutate(mail.id, {
      onSuccess: () =>
        canLeave
          ? notifyDone('Retrying the email now')
          : notifyPending('The email waits until a mail server is set up'),
      onError: notifyFailed('The email wasn’t retried'),
    })
  return (
    <RowMenu
      name={`the email to ${mail.to}`}
      isBusy={retry.isPending || discard.isPending}
      actions={[
        { label: 'Retry now', Icon: IconRefresh, onClick: tryAgain },
        { label: 'Discard…', Icon: IconTrash, isDestructive: true, onClick: confirmDiscard },
      ]}
    />
  )
}
