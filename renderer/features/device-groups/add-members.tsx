import { Button, Group } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeviceGroup } from '../../../shared/api/device-groups.ts'
import { addGroupDevicesMutation, pinGroupDevices } from '../../data/device-groups.ts'
import { DevicePicker } from '../../domain/devices/device-picker.tsx'
import { plural } from '../../lib/format.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { useUnsavedChanges } from '../../lib/unsaved-changes.ts'

/** Adds devices to a static group; in a rule group they are pinned, whatever the rule says. */
export function AddMembers({ group }: { group: DeviceGroup }) {
  const [ids, setIds] = useState<string[]>([])
  useUnsavedChanges(ids.length > 0)
  const add = useMutation(addGroupDevicesMutation(group.id))
  const pin = useMutation(pinGroupDevices(group.id))
  const isDynamic = group.type === 'dynamic'
  const submit = () => {
    const what = plural(ids.length, 'device')
    const done = {
      onSuccess: () => {
        setIds([])
        notifyDone(isDynamic ? `${what} pinned` : `${what} added`)
      },
      onError: notifyFailed(isDynamic ? 'Not all devices were pinned' : 'The devices weren’t added'),
    }
    if (isDynamic) pin.mutate(ids, done)
    else add.mutate(ids, done)
  }
  return (
    <Group align="flex-end" gap="sm" wrap="nowrap" maw={640}>
      <div style={{ flex: 1, minWidth: 0 }}>
        <DevicePicker
          label={isDynamic ? 'Pin devices regardless of the rule' : 'Add devices'}
          orgId={group.orgId}
          siteId={group.siteId}
          value={ids}
          onChange={setIds}
        />
      </div>
      <Button variant="default" disabled={ids.length === 0} loading={add.isPending || pin.isPending} onClick={submit}>
        {isDynamic ? 'Pin' : 'Add'}
      </Button>
    </Group>
  )
}
