import { Select, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { changeDevice } from '../../data/devices.ts'
import { organizationsChanged } from '../../data/organizations.ts'
import { sitesQuery } from '../../data/sites.ts'
import { deviceName } from '../../domain/devices/device-labels.ts'
import { siteOptions } from '../../domain/sites/site-names.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { LoadFailed, SkeletonLines } from '../../ui/states.tsx'

interface Props {
  device: DeviceDetail
  onDone: () => void
}

/** Moves a device to another site of its organization. */
export function MoveForm({ device, onDone }: Props) {
  const sites = useQuery(sitesQuery(device.orgId))
  if (sites.error) return <LoadFailed error={sites.error} onRetry={sites.refetch} />
  if (!sites.data) return <SkeletonLines count={3} />
  const others = siteOptions(sites.data).filter(({ value }) => value !== device.siteId)
  if (others.length === 0)
    return <Text size="sm">{device.orgName} has no other site. Create one on its Sites tab.</Text>
  return <Fields device={device} options={others} onDone={onDone} />
}

function Fields({ device, options, onDone }: Props & { options: { value: string; label: string }[] }) {
  const form = useForm({
    initialValues: { siteId: '' },
    validate: { siteId: (id) => (id ? null : 'Choose a site') },
  })
  const { mutationFn, onSuccess } = changeDevice(device.id)
  const saving = useFormSubmission(form, {
    mutationFn,
    onSuccess: async ({ siteName }) => {
      onDone()
      notifyDone(`${deviceName(device)} moved to ${siteName}`)
      await Promise.all([onSuccess(), organizationsChanged()])
    },
  })
  return (
    <DialogForm saving={saving} action="Move">
      <Select
        label="Site"
        description={`Currently at ${device.siteName}. The device will leave groups limited to that site.`}
        data-autofocus
        searchable
        openOnFocus={false}
        allowDeselect={false}
        limit={50}
        nothingFoundMessage="No sites match"
        data={options}
        {...form.getInputProps('siteId')}
      />
    </DialogForm>
  )
}
