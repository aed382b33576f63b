import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { UnusualChange } from '../../../shared/api/unusual-changes.ts'
import { decideAbout, unusualChangesQuery } from '../../data/unusual-changes.ts'
import { notifyDone } from '../../lib/notify.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { closeUnlessUnsaved } from '../../ui/confirm-leave.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { ButtonLink } from '../../ui/links.tsx'
import { Notice } from '../../ui/notice.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { changeWords, decisionWords } from './change-words.ts'

type Decision = keyof typeof decisionWords

/** What looks like an attack in the backups of a device, until somebody has said that it was expected. */
export function DeviceUnusualChanges({ device: { id, orgId } }: { device: { id: string; orgId: string } }) {
  const maySee = can(useMe(), 'backup:read')
  const changes = useQuery({ ...unusualChangesQuery(id, orgId), enabled: maySee })
  if (changes.isError)
    return (
      <Notice tone="warn" title="Unusual changes couldn’t be loaded" role="alert">
        <Text size="sm">There may be some that aren’t shown here. Reload the page to try again.</Text>
      </Notice>
    )
  return changes.data?.map((change) => <ChangeNotice key={change.id} change={change} />)
}

function ChangeNotice({ change }: { change: UnusualChange }) {
  const { id, state, numbers, takenAt, snapshotId, olderId, decidedByName, reason } = change
  const mayDecide = can(useMe(), 'backup:write')
  const [decision, setDecision] = useState<Decision | null>(null)
  const isOpen = state === 'open'
  return (
    <Notice
      tone={isOpen ? 'bad' : 'warn'}
      title={isOpen ? 'Unusual change: this may be ransomware' : 'Older snapshots are on hold after an unusual change'}
    >
      <Stack gap="xs">
        <Text size="sm" component="div">
          In the backup made <RelativeTime at={takenAt} />: {changeWords(numbers).join(' ')}
        </Text>
        <Text size="sm">
          {isOpen
            ? 'Snapshots from before it don’t expire until someone has decided. If nobody expected this, disconnect the device from the network.'
            : `${decidedByName ?? 'Somebody'} decided to keep them: ${reason ?? ''}`}
        </Text>
        <Group gap="xs">
          {snapshotId && olderId && (
            <ButtonLink
              to="/backup/snapshots/$snapshotId/compare/$olderId"
              params={{ snapshotId, olderId }}
              size="xs"
              variant="default"
            >
              See what changed
            </ButtonLink>
          )}
          {mayDecide && (
            <Button size="xs" variant="default" onClick={() => setDecision('expected')}>
              It was expected…
            </Button>
          )}
          {mayDecide && isOpen && (
            <Button size="xs" variant="default" onClick={() => setDecision('held')}>
              Keep on hold…
            </Button>
          )}
        </Group>
      </Stack>
      {decision && (
        <Modal opened onClose={closeUnlessUnsaved(() => setDecision(null))} title={decisionWords[decision].title}>
          <DecisionForm id={id} decision={decision} onClose={() => setDecision(null)} />
        </Modal>
      )}
    </Notice>
  )
}

function DecisionForm({ id, decision, onClose }: { id: string; decision: Decision; onClose: () => void }) {
  const { action, explanation, example, done } = decisionWords[decision]
  const form = useForm({
    initialValues: { reason: '' },
    validate: { reason: (reason) => (reason.trim() === '' ? 'Enter a reason' : null) },
  })
  const { mutationFn, onSuccess } = decideAbout(id, decision)
  const saving = useFormSubmission(form, {
    mutationFn,
    onSuccess: async () => {
      onClose()
      notifyDone(done)
      await onSuccess()
    },
  })
  return (
    <DialogForm saving={saving} action={action}>
      <Text size="sm">{explanation}</Text>
      <Textarea
        label="Reason"
        description="Recorded in the audit log."
        placeholder={example}
        maxLength={500}
        autosize
        minRows={2}
        {...form.getInputProps('reason')}
      />
    </DialogForm>
  )
}
