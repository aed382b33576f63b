import { Group, Radio, Select, Stack, Text, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import type { Vault } from '../../../shared/api/backup-vaults.ts'
import { storagesQuery } from '../../data/backup-storages.ts'
import { addVault, changeVault } from '../../data/backup-vaults.ts'
import { weekdays } from '../../domain/backup-policies/schedule-words.ts'
import { OnlineDeviceSelect } from '../../domain/devices/online-device-select.tsx'
import { notifyDone } from '../../lib/notify.ts'
import { useMe } from '../../lib/session.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import {
  type CopyDraft,
  changeOf,
  draftOf,
  keptRange,
  newCopy,
  newVaultOf,
  problemsOf,
  reminderRange,
} from './copy-draft.ts'
import { placeNames } from './copy-words.ts'

interface Props {
  orgId: string
  /** Undefined to add one. */
  vault?: Vault | undefined
  /** Chosen already. */
  deviceId?: string
  onDone: () => void
}

const pathHelp: Record<'appliance' | 'device', string> = {
  appliance: 'A folder on the disk, as the appliance finds it. It has to exist.',
  device: 'A folder on the disk, as the device finds it. It has to exist.',
}

const types = [
  { value: 'usb', label: 'A disk that is plugged in now and then' },
  { value: 'smb', label: 'A network share' },
  { value: 'local', label: 'A folder that is always there' },
]

export function CopyForm({ orgId, vault, deviceId = '', onDone }: Props) {
  const { isPlatformAdmin } = useMe()
  const form = useForm({
    initialValues: vault ? draftOf(vault) : newCopy(isPlatformAdmin && deviceId === '', deviceId),
    validate: problemsOf,
  })
  const { place, when } = form.values
  const saving = useFormSubmission(form, {
    mutationFn: (draft) =>
      vault ? changeVault(vault.id).mutationFn(changeOf(draft, vault)) : addVault(orgId).mutationFn(newVaultOf(draft)),
    onSuccess: async (saved) => {
      onDone()
      notifyDone(vault ? `${saved.name} was saved` : `${saved.name} was added. Copying begins within minutes`)
      await addVault(orgId).onSuccess()
    },
  })
  const places = (
    isPlatformAdmin ? (['appliance', 'device', 'storage'] as const) : (['device', 'storage'] as const)
  ).map((value) => ({ value, label: placeNames[value] }))
  return (
    <DialogForm saving={saving} action={vault ? 'Save' : 'Add second copy'}>
      {vault ? (
        <Text size="sm">
          {placeNames[place]}, {vault.deviceName ?? 'all devices'}
        </Text>
      ) : (
        <>
          <Radio.Group label="Where to" {...form.getInputProps('place')}>
            <Stack gap="xs" mt={6}>
              {places.map(({ value, label }) => (
                <Radio key={value} value={value} label={label} />
              ))}
            </Stack>
          </Radio.Group>
          <WhichDevice orgId={orgId} form={form} />
        </>
      )}
      {place === 'storage' ? (
        !vault && <WhichStorage orgId={orgId} form={form} />
      ) : (
        <>
          <Select label="What it is" data={types} allowDeselect={false} {...form.getInputProps('vaultType')} />
          <TextInput
            label="Path"
            description={pathHelp[place]}
            placeholder="/media/backup"
            maxLength={1024}
            {...form.getInputProps('vaultPath')}
          />
        </>
      )}
      <TextInput label="Name" placeholder="Blue disk" maxLength={100} {...form.getInputProps('name')} />
      <NumberField
        label="Keep the newest backups of each device"
        description="Older copies are removed from the second copy."
        range={keptRange}
        {...form.getInputProps('retentionCount')}
      />
      <Select
        label="When"
        description={place === 'storage' ? undefined : 'If the disk isn’t connected then, as soon as it is.'}
        allowDeselect={false}
        data={[
          { value: 'each', label: 'After each backup' },
          { value: 'daily', label: 'Every day' },
          { value: 'weekly', label: 'Every week' },
        ]}
        {...form.getInputProps('when')}
      />
      {when !== 'each' && (
        <Group gap="sm" align="flex-start">
          {when === 'weekly' && (
            <Select
              label="Day"
              flex="1 1 140px"
              allowDeselect={false}
              data={weekdays.map((label, value) => ({ value: String(value), label }))}
              value={String(form.values.dayOfWeek)}
              onChange={(value) => form.setFieldValue('dayOfWeek', Number(value))}
            />
          )}
          <TextInput type="time" label="Time" flex="1 1 140px" {...form.getInputProps('time')} />
        </Group>
      )}
      <NumberField
        label="Remind after days without a copy"
        description="Leave empty for no reminder."
        range={reminderRange}
        {...form.getInputProps('remindAfterDays')}
      />
    </DialogForm>
  )
}

type Form = Pick<
  UseFormReturnType<CopyDraft, CopyDraft, typeof problemsOf>,
  'values' | 'errors' | 'setFieldValue' | 'getInputProps'
>

/** A folder of the device is of one; anything else can be for all. */
function WhichDevice({ orgId, form }: { orgId: string; form: Form }) {
  const { place, deviceId } = form.values
  const { isConfined } = useMe()
  const isForOne = place === 'device' || isConfined || deviceId !== ''
  return (
    <>
      {place !== 'device' && !isConfined && (
        <Text size="sm">Copies the backups of all devices, also of those that are added later.</Text>
      )}
      {isForOne && (
        <OnlineDeviceSelect
          orgId={orgId}
          label="Device"
          value={deviceId}
          error={form.errors.deviceId ? String(form.errors.deviceId) : undefined}
          onChange={(id) => form.setFieldValue('deviceId', id)}
        />
      )}
    </>
  )
}

function WhichStorage({ orgId, form }: { orgId: string; form: Form }) {
  const storages = (useQuery(storagesQuery(orgId)).data ?? []).filter(({ provider }) => provider !== 'local')
  return (
    <Select
      label="Storage"
      description="Backups that lie on the appliance are copied there. Add storage under Backup → Storage."
      placeholder={storages.length === 0 ? 'There is none yet' : 'Choose a storage'}
      data={storages.map(({ id, name }) => ({ value: id, label: name }))}
      {...form.getInputProps('configId')}
    />
  )
}
