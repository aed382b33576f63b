import { Button, Checkbox, Group, Radio, Select, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { SlaConfig } from '../../../shared/api/backup-sla.ts'
import { saveSla } from '../../data/backup-sla.ts'
import { deviceGroupsQuery } from '../../data/device-groups.ts'
import { DevicePicker } from '../../domain/devices/device-picker.tsx'
import { plural } from '../../lib/format.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useUnsavedChanges } from '../../lib/unsaved-changes.ts'
import { focusFirstField } from '../../ui/dialog-focus.ts'
import { DialogFooter } from '../../ui/dialog-footer.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { MultiSelect } from '../../ui/multi-select.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import { bodyOf, newSla, type SlaDraft, slaDraftOf, slaErrors, type TimeDraft } from './sla-draft.ts'

interface Props {
  orgId: string
  /** Undefined to create one. */
  sla: SlaConfig | undefined
  onDone: () => void
}

export function SlaForm({ orgId, sla, onDone }: Props) {
  const [draft, setDraft] = useState(() => (sla ? slaDraftOf(sla) : newSla))
  const [isTouched, setTouched] = useState(false)
  const [isTried, setTried] = useState(false)
  useUnsavedChanges(isTouched)
  const [names] = useState(() => new Map(sla?.targetDeviceNames.map(({ id, name }) => [id, name])))
  const saving = saveSla(orgId, sla?.id)
  const save = useMutation({
    mutationFn: saving.mutationFn,
    onSuccess: async ({ name, breachedDevices }) => {
      onDone()
      notifyDone(`${name} was saved${breachedDevices > 0 ? `: not met on ${plural(breachedDevices, 'device')}` : ''}`)
      await saving.onSuccess()
    },
  })
  const found = slaErrors(draft)
  const errors = isTried ? found : undefined
  const change = (part: Partial<SlaDraft>) => {
    setDraft((old) => ({ ...old, ...part }))
    setTouched(true)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setTried(!found.isRight)
    if (found.isRight) save.mutate(bodyOf(draft))
  }
  return (
    <form ref={focusFirstField} onSubmit={submit} noValidate>
      <Stack>
        <FormError error={save.error} />
        <TextInput
          label="Name"
          maxLength={200}
          error={errors?.name}
          value={draft.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <TimeField
          label="The newest backup is at most this old"
          description="For daily backups allow a little more than 24 hours, for the time that a backup takes."
          unitLabel="Unit of the age"
          value={draft.rpo}
          error={errors?.rpo}
          onChange={(rpo) => change({ rpo })}
        />
        <TimeField
          label="A restore takes at most"
          description="Compared with what test restores took, once there are some."
          unitLabel="Unit of the restore time"
          value={draft.rto}
          error={errors?.rto}
          onChange={(rto) => change({ rto })}
        />
        <Targets orgId={orgId} draft={draft} names={names} error={errors?.targets} onChange={change} />
        <Checkbox
          label="Tell people when it’s not met"
          description="On the home page, and by email to the addresses that the backup policies of the devices name."
          checked={draft.alertOnBreach}
          onChange={(event) => change({ alertOnBreach: event.currentTarget.checked })}
        />
        <DialogFooter>
          <Button type="submit" loading={save.isPending}>
            {sla ? 'Save' : 'Create SLA'}
          </Button>
        </DialogFooter>
      </Stack>
    </form>
  )
}

interface TimeProps {
  label: string
  description: string
  unitLabel: string
  value: TimeDraft
  error: string | undefined
  onChange: (value: TimeDraft) => void
}

const units = [
  { value: 'minutes', label: 'minutes' },
  { value: 'hours', label: 'hours' },
  { value: 'days', label: 'days' },
] as const
const anyAmount = { min: 1, max: 5_256_000 }

const TimeField = ({ label, description, unitLabel, value, error, onChange }: TimeProps) => (
  <Group gap="sm" align="flex-end" wrap="nowrap">
    <NumberField
      label={label}
      description={description}
      range={anyAmount}
      flex="1 1 0"
      value={value.amount}
      error={error}
      onChange={(amount) => onChange({ ...value, amount })}
    />
    <Select
      aria-label={unitLabel}
      w={120}
      miw={120}
      allowDeselect={false}
      data={units}
      value={value.unit}
      onChange={(unit) => onChange({ ...value, unit: units.find((one) => one.value === unit)?.value ?? value.unit })}
    />
  </Group>
)

interface TargetProps {
  orgId: string
  draft: SlaDraft
  names: ReadonlyMap<string, string>
  error: ReactNode
  onChange: (change: Partial<SlaDraft>) => void
}

function Targets({ orgId, draft, names, error, onChange }: TargetProps) {
  const groups = useQuery(deviceGroupsQuery(orgId)).data ?? []
  return (
    <Stack gap="sm">
      <Radio.Group
        label="Devices"
        value={draft.isForSome ? 'some' : 'all'}
        onChange={(value) => onChange({ isForSome: value === 'some' })}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="all" label="Every device that a backup policy protects, future ones too" />
          <Radio value="some" label="Selected devices and groups" />
        </Stack>
      </Radio.Group>
      {draft.isForSome && (
        <DevicePicker
          label="Selected devices"
          orgId={orgId}
          siteId={null}
          value={draft.targetDevices}
          names={names}
          error={error}
          onChange={(targetDevices) => onChange({ targetDevices })}
        />
      )}
      {draft.isForSome && groups.length > 0 && (
        <MultiSelect
          label="Selected groups"
          searchable
          hidePickedOptions
          placeholder={draft.targetGroups.length === 0 ? 'Type a name' : ''}
          data={groups.map(({ id, name }) => ({ value: id, label: name }))}
          value={draft.targetGroups.filter((id) => groups.some((group) => group.id === id))}
          onChange={(targetGroups) => onChange({ targetGroups })}
        />
      )}
    </Stack>
  )
}
