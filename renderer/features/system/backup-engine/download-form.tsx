import { Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { resticPlatforms } from '../../../../shared/components.ts'
import { type ComponentState, componentChanged, startDownload } from '../../../data/components.ts'
import { useFormSubmission } from '../../../lib/use-form-submission.ts'
import { DialogForm } from '../../../ui/dialog-form.tsx'
import { MultiSelect } from '../../../ui/multi-select.tsx'
import { platformName } from './platform-name.ts'

interface Props {
  engine: ComponentState
  onDone: () => void
}

export function DownloadForm({ engine, onDone }: Props) {
  const form = useForm({
    initialValues: { version: '', platforms: wantedPlatforms(engine) },
    validate: {
      version: (version) =>
        /^(\d+\.\d+\.\d+)?$/.test(version.trim()) ? null : 'Enter a version such as 0.18.0, or nothing for the newest',
      platforms: (platforms) => (platforms.length > 0 ? null : 'Select at least one platform'),
    },
  })
  const saving = useFormSubmission(form, {
    mutationFn: ({ version, platforms }) =>
      startDownload('restic', { platforms, ...(version.trim() && { version: version.trim() }) }),
    onSuccess: async () => {
      form.resetDirty()
      onDone()
      await componentChanged()
    },
  })
  return (
    <DialogForm saving={saving} action="Download">
      <TextInput
        label="Version"
        placeholder="Newest"
        data-autofocus
        maxLength={20}
        autoComplete="off"
        {...form.getInputProps('version')}
      />
      <MultiSelect
        label="Platforms"
        {...(engine.devices.length > 0 && { description: 'Selected: those of your devices.' })}
        data={resticPlatforms.map((value) => ({ value, label: platformName(value) }))}
        {...form.getInputProps('platforms')}
      />
      <Text size="sm" c="dimmed">
        From {new URL(engine.releases).host}, about 10 MB for each platform. Only files with restic’s release signature
        are stored.
      </Text>
    </DialogForm>
  )
}

/** Those of the devices; without devices the usual ones. */
export function wantedPlatforms({ devices }: Pick<ComponentState, 'devices'>): string[] {
  const known: readonly string[] = resticPlatforms
  const ofDevices = known.filter((platform) => devices.some((one) => one.platform === platform))
  return ofDevices.length > 0 ? ofDevices : known.slice(0, 4)
}
