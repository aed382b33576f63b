import { Checkbox, Modal, Text, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { longestImmutability } from '../../../shared/api/backup-snapshot-protection.ts'
import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import { type ProtectionDeed, protectSnapshot } from '../../data/backup-snapshot-protection.ts'
import { storageQuery } from '../../data/backup-storages.ts'
import { dateOnly } from '../../lib/format.ts'
import { notifyDone } from '../../lib/notify.ts'
import { dayMs, useNow } from '../../lib/now.ts'
import { rangeError } from '../../lib/number-range.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { closeUnlessUnsaved } from '../../ui/confirm-leave.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import { canLockObjects } from '../backup-storage/object-lock.ts'
import { daysUntil, protectionWords } from './protection-words.ts'

interface Props {
  snapshot: BackupSnapshot
  deed: ProtectionDeed
  onClose: () => void
}

/** Protects a snapshot, or ends that, and asks why: the reason is in the audit log. */
export function ProtectionDialog({ snapshot, deed, onClose }: Props) {
  return (
    <Modal opened onClose={closeUnlessUnsaved(onClose)} title={protectionWords[deed].title}>
      <ProtectionForm snapshot={snapshot} deed={deed} onClose={onClose} />
    </Modal>
  )
}

const usualDays = 30

function ProtectionForm({ snapshot, deed, onClose }: Props) {
  const { action, explanation, done } = protectionWords[deed]
  const now = useNow()
  // Only longer than it is locked already.
  const range = {
    min: Math.min(longestImmutability, daysUntil(snapshot.immutableUntil, now) + 1),
    max: longestImmutability,
  }
  const isAsked = snapshot.requestedImmutabilityEnforcement === 'provider'
  const storage = useQuery({ ...storageQuery(snapshot.configId), enabled: deed === 'lock' && !isAsked }).data
  const isOffered = isAsked || (storage !== undefined && canLockObjects(storage))
  const form = useForm({
    initialValues: {
      reason: '',
      immutableDays: Math.max(usualDays, range.min) as number | string,
      isByStorage: isAsked,
    },
    validate: {
      reason: (reason) => (reason.trim() === '' ? 'Enter a reason' : null),
      immutableDays: (days) => (deed === 'lock' ? rangeError(days, range) : null),
    },
  })
  const { mutationFn, onSuccess } = protectSnapshot(snapshot.id, deed)
  const saving = useFormSubmission(form, {
    mutationFn: ({ reason, immutableDays, isByStorage }) =>
      mutationFn({ reason, days: Number(immutableDays), isByStorage: isByStorage && isOffered }),
    onSuccess: async () => {
      onClose()
      notifyDone(done)
      await onSuccess()
    },
  })
  const days = Number(form.values.immutableDays)
  const isInRange = form.values.immutableDays !== '' && rangeError(days, range) === null
  return (
    <DialogForm saving={saving} action={action}>
      <Text size="sm">{explanation}</Text>
      {deed === 'lock' && (
        <NumberField
          label="Days"
          description={isInRange ? `Until ${dateOnly(new Date(now + days * dayMs).toISOString())}` : undefined}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          range={range}
          allowDecimal={false}
          {...form.getInputProps('immutableDays')}
        />
      )}
      {deed === 'lock' && isOffered && (
        <Checkbox
          label="Have the storage lock it, too"
          description="Until that day not even someone with the keys of the bucket can delete it. It takes up space until then, and up to ten days longer."
          {...form.getInputProps('isByStorage', { type: 'checkbox' })}
        />
      )}
      <Textarea
        label="Reason"
        description="Recorded in the audit log."
        placeholder={protectionWords[deed].example}
        maxLength={500}
        autosize
        minRows={2}
        {...form.getInputProps('reason')}
      />
    </DialogForm>
  )
}
