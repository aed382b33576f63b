import { SegmentedControl, Select } from '@mantine/core'
import { useForm } from '@mantine/form'
import { maintainDevices } from '../../../data/several-devices.ts'
import { plural } from '../../../lib/format.ts'
import { useFormSubmission } from '../../../lib/use-form-submission.ts'
import { DialogForm } from '../../../ui/dialog-form.tsx'
import { idsOf, outcomeOf, type SeveralFormProps } from './outcome.ts'

const durations = [
  { value: '1', label: '1 hour' },
  { value: '4', label: '4 hours' },
  { value: '8', label: '8 hours' },
  { value: '24', label: '1 day' },
  { value: '168', label: '1 week' },
  { value: '', label: 'Until someone ends it' },
]

/** Begins or ends maintenance. */
export function MaintenanceForm({ devices, onDone }: SeveralFormProps) {
  const isUnderWay = devices.every(({ status }) => status === 'maintenance')
  const form = useForm({ initialValues: { action: isUnderWay ? 'end' : 'begin', hours: '4' } })
  const isBegun = form.values.action === 'begin'
  const saving = useFormSubmission(form, {
    mutationFn: ({ hours }) =>
      maintainDevices.mutationFn({
        deviceIds: idsOf(devices),
        enable: isBegun,
        ...(isBegun && hours !== '' && { durationHours: Number(hours) }),
      }),
    onSuccess: ({ changed, ...refused }) => {
      const what = plural(changed.length, 'device')
      const text = isBegun ? `Maintenance began on ${what}.` : `Maintenance ended on ${what}.`
      onDone(outcomeOf(changed.length, isBegun ? 'Maintenance begun' : 'Maintenance ended', text, refused))
      return maintainDevices.onSuccess()
    },
  })
  return (
    <DialogForm saving={saving} action={isBegun ? 'Begin maintenance' : 'End maintenance'}>
      <SegmentedControl
        fullWidth
        aria-label="Maintenance"
        data={[
          { value: 'begin', label: 'Begin' },
          { value: 'end', label: 'End' },
        ]}
        {...form.getInputProps('action')}
      />
      {isBegun && (
        <Select
          label="Duration"
          description="Devices in maintenance aren’t shown as offline. Maintenance under way gets the new duration."
          allowDeselect={false}
          data={durations}
          {...form.getInputProps('hours')}
        />
      )}
    </DialogForm>
  )
}
