import { maintainDevices } from '../../../data/several-devices.ts'
import { plural } from '../../../lib/format.ts'
import { MaintenanceForm } from '../maintenance/maintenance-form.tsx'
import { idsOf, outcomeOf, type SeveralFormProps } from './outcome.ts'

export function MaintenanceOfSeveral({ devices, onDone }: SeveralFormProps) {
  return (
    <MaintenanceForm
      isUnderWay={devices.every(({ status }) => status === 'maintenance')}
      save={(window) => maintainDevices.mutationFn({ deviceIds: idsOf(devices), ...window })}
      onSaved={({ changed, ...refused }, isBegun) => {
        const what = plural(changed.length, 'device')
        const text = isBegun ? `Maintenance began on ${what}.` : `Maintenance ended on ${what}.`
        onDone(outcomeOf(changed.length, isBegun ? 'Maintenance begun' : 'Maintenance ended', text, refused))
        return maintainDevices.onSuccess()
      }}
    />
  )
}
