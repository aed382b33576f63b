import { FocusTrap, Select, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import type { DeviceGroup } from '../../../../shared/api/device-groups.ts'
import type { ListedDevice } from '../../../../shared/api/devices.ts'
import type { RefusedDevice } from '../../../../shared/api/several-devices.ts'
import { addGroupDevicesMutation, deviceGroupsQuery, saveGroup } from '../../../data/device-groups.ts'
import { plural } from '../../../lib/format.ts'
import { useFocusOnAppear } from '../../../lib/use-focus-on-appear.ts'
import { useFormSubmission } from '../../../lib/use-form-submission.ts'
import { DialogForm } from '../../../ui/dialog-form.tsx'
import { LoadFailed, SkeletonLines } from '../../../ui/states.tsx'
import { idsOf, type Outcome, type SeveralFormProps } from './outcome.ts'

/** Adds devices to a group of one organization, which may be a new one. */
export function GroupForm(props: SeveralFormProps) {
  const byOrganization = Map.groupBy(props.devices, ({ orgId }) => orgId)
  const [largest = ''] = [...byOrganization].sort(([, a], [, b]) => b.length - a.length)[0] ?? []
  const form = useForm({ initialValues: { orgId: largest } })
  const { orgId } = form.values
  const { data: groups, error, refetch } = useQuery(deviceGroupsQuery(orgId))
  return (
    <>
      {byOrganization.size > 1 && (
        <Select
          label="Organization"
          description="A group belongs to one organization. The other devices are left out."
          mb="md"
          data-autofocus
          allowDeselect={false}
          data={[...byOrganization].map(([id, devices]) => ({
            value: id,
            label: `${devices[0]?.orgName} (${plural(devices.length, 'device')})`,
          }))}
          {...form.getInputProps('orgId')}
        />
      )}
      {error && !groups ? (
        <LoadFailed error={error} onRetry={refetch} />
      ) : groups ? (
        <Fields key={orgId} {...props} orgId={orgId} groups={groups.filter(({ type }) => type === 'static')} />
      ) : (
        <>
          <FocusTrap.InitialFocus />
          <SkeletonLines count={2} />
        </>
      )}
    </>
  )
}

const newGroup = 'new'

function Fields({ devices, orgId, groups, onDone }: SeveralFormProps & { orgId: string; groups: DeviceGroup[] }) {
  const form = useForm({
    initialValues: { group: groups.length === 0 ? newGroup : '', name: '' },
    validate: {
      group: (id) => {
        if (id === '') return 'Choose a group'
        return fitting(devices, orgId, groupOf(id)).length > 0
          ? null
          : 'None of the devices is at the site of this group'
      },
      name: (name, { group }) => (group !== newGroup || name.trim() ? null : 'Enter a name'),
    },
  })
  const groupOf = (id: string) => groups.find((group) => group.id === id)
  const first = useFocusOnAppear<HTMLInputElement>()
  const group = groupOf(form.values.group)
  const added = fitting(devices, orgId, group)
  const atOtherSites = fitting(devices, orgId, undefined).length - added.length
  const saving = useFormSubmission(form, {
    mutationFn: ({ name }): Promise<{ isNew: boolean; name: string; amount: number }> =>
      putIn(orgId, group, name, added),
    onSuccess: async ({ isNew, name, amount }) => {
      onDone(groupOutcome(devices, added, { isNew, name, amount }))
      await saveGroup(orgId, undefined).onSuccess()
    },
  })
  return (
    <DialogForm saving={saving} action={actionFor(form.values.group, added.length)}>
      {groups.length > 0 && (
        <Select
          ref={first}
          label="Group"
          description="Groups with a rule aren’t listed: the rule decides which devices are in them."
          searchable
          allowDeselect={false}
          limit={50}
          nothingFoundMessage="No groups match"
          data={[
            ...groups.map(({ id, name }) => ({ value: id, label: name })),
            { value: newGroup, label: 'New group…' },
          ]}
          {...form.getInputProps('group')}
        />
      )}
      {form.values.group === newGroup && (
        <TextInput
          ref={groups.length === 0 ? first : focusNew}
          label="Name of the new group"
          description={
            groups.length === 0 &&
            `${devices.find((one) => one.orgId === orgId)?.orgName} has no group to add devices to yet.`
          }
          maxLength={255}
          {...form.getInputProps('name')}
        />
      )}
      {atOtherSites > 0 && (
        <Text size="sm" c="dimmed">
          This group is limited to one site. {plural(atOtherSites, 'device')} at other sites will be left out.
        </Text>
      )}
    </DialogForm>
  )
}

function actionFor(group: string, amount: number): string {
  if (group === newGroup) return 'Create group'
  return group === '' ? 'Add to group' : `Add ${plural(amount, 'device')}`
}

/** The field appears when a new group is wanted, so that its name is what comes next. */
const focusNew = (field: HTMLInputElement | null) => field?.focus()

/** A group holds devices of its organization and, if it has one, of its site. */
const fitting = (devices: readonly ListedDevice[], orgId: string, group: DeviceGroup | undefined) =>
  devices.filter((device) => device.orgId === orgId && (!group?.siteId || group.siteId === device.siteId))

async function putIn(orgId: string, group: DeviceGroup | undefined, name: string, devices: readonly ListedDevice[]) {
  const deviceIds = idsOf(devices)
  if (!group) {
    const { data } = await saveGroup(orgId, undefined).mutationFn({ name, type: 'static', deviceIds })
    return { isNew: true, name: data.name, amount: deviceIds.length }
  }
  const { data } = await addGroupDevicesMutation(group.id).mutationFn(deviceIds)
  return { isNew: false, name: group.name, amount: data.added }
}

function groupOutcome(
  devices: readonly ListedDevice[],
  wanted: readonly ListedDevice[],
  { isNew, name, amount }: { isNew: boolean; name: string; amount: number },
): Outcome {
  const orgId = wanted[0]?.orgId
  const failed: RefusedDevice[] = devices
    .filter((device) => !wanted.includes(device))
    .map((device) => ({
      deviceId: device.id,
      code: 'left_out',
      message: device.orgId === orgId ? `At another site (${device.siteName})` : `In ${device.orgName}`,
    }))
  const before = wanted.length - amount
  const already = before > 0 ? ` ${before === 1 ? '1 was' : `${before} were`} in it before.` : ''
  return {
    title: isNew ? 'Group created' : amount > 0 ? 'Added to group' : 'Nothing was added',
    text: isNew
      ? `“${name}” was created with ${plural(amount, 'device')}.`
      : amount > 0
        ? `${plural(amount, 'device')} added to “${name}”.${already}`
        : `${wanted.length === 1 ? 'The device is' : 'The devices are'} in “${name}” already.`,
    failed,
    skipped: [],
  }
}
