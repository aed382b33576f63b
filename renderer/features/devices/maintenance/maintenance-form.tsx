import { SegmentedControl, Select } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { MaintenanceWindow } from '../../../data/devices.ts'
import { useFormSubmission } from '../../../lib/use-form-submission.ts'
import { DialogForm } from '../../../ui/dialog-form.tsx'

const durations = [
  { value: '1', label: '1 hour' },
  { value: '4', label: '4 hours' },
  { value: '8', label: '8 hours' },
  { value: '24', label: '1 day' },
  { value: '168', label: '1 week' },
  { value: '', label: 'Until someone ends it' },
]

interface Props<Saved> {
  isUnderWay: boolean
  save: (window: MaintenanceWindow) => Promise<Saved>
  onSaved: (saved: Saved, isBegun: boolean) => unknown
}

/** Begins or ends maintenance, of one device or of several. */
export function MaintenanceForm<Saved>({ isUnderWay, save, onSaved }: Props<Saved>) {
  const form = useForm({ initialValues: { action: isUnderWay ? 'end' : 'begin', hours: '4' } })
  const isBegun = form.values.action === 'begin'
  const saving = useFormSubmission(form, {
    mutationFn: ({ hours }) =>
      save({ enable: isBegun, ...(isBegun && hours !== '' && { durationHours: Number(hours) }) }),
    onSuccess: (saved) => onSaved(saved, isBegun),
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
