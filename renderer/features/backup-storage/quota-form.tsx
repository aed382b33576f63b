import { Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { BackupStoreUsage } from '../../../shared/api/backup-quotas.ts'
import { changeQuota } from '../../data/backup-quotas.ts'
import { bytes } from '../../lib/format.ts'
import { notifyDone } from '../../lib/notify.ts'
import { inRange, type NumberRange } from '../../lib/number-range.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { NumberField } from '../../ui/number-field.tsx'

interface Props {
  orgId: string
  usage: BackupStoreUsage
  onDone: () => void
}

const gigabyte = 1024 ** 3
/** A petabyte. */
const range: NumberRange = { min: 0, max: 1024 ** 2, isOptional: true, isFraction: true }

export function QuotaForm({ orgId, usage, onDone }: Props) {
  const { quotaBytes, usedBytes } = usage
  const form = useForm<{ gigabytes: number | string }>({
    initialValues: { gigabytes: quotaBytes === null ? '' : Math.round((quotaBytes / gigabyte) * 100) / 100 },
    validate: { gigabytes: inRange(range) },
  })
  const { mutationFn, onSuccess } = changeQuota(orgId)
  const saving = useFormSubmission(form, {
    mutationFn: ({ gigabytes }) => mutationFn(gigabytes === '' ? null : Math.round(Number(gigabytes) * gigabyte)),
    onSuccess: async () => {
      onDone()
      notifyDone('The quota was changed')
      await onSuccess()
    },
  })
  const { gigabytes } = form.values
  const isBelow = gigabytes !== '' && Number(gigabytes) * gigabyte < usedBytes
  return (
    <DialogForm saving={saving} action="Save">
      <NumberField
        label="Quota in GB"
        description="How much the backups of this organization may take up on the appliance. Empty for no limit."
        range={range}
        decimalScale={2}
        {...form.getInputProps('gigabytes')}
      />
      {isBelow && (
        <Text size="sm">
          {bytes(usedBytes)} are used already: new backups fail until less is stored. Nothing is deleted.
        </Text>
      )}
    </DialogForm>
  )
}
