import { Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { approveDeviceMutation, rejectDeviceMutation } from '../../data/devices.ts'
import { deviceName } from '../../domain/devices/device-labels.ts'
import { exactTime } from '../../lib/format.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Notice } from '../../ui/notice.tsx'

/** On the page of a device that waits for approval: why, and the choice for those who may make it. */
export function ApprovalBanner({ device }: { device: DeviceDetail }) {
  const me = useMe()
  const name = deviceName(device)
  const approve = useMutation(approveDeviceMutation(device.id))
  const reject = useMutation(rejectDeviceMutation(device.id))
  if (device.status !== 'quarantined') return null
  const approveNow = () =>
    approve.mutate(undefined, {
      onSuccess: () => notifyDone(`${name} was approved`),
      onError: notifyFailed(`${name} wasn’t approved`),
    })
  const askToReject = async () => {
    const isRejected = await askToConfirm({
      title: `Reject ${name}?`,
      consequences: `${name} is decommissioned: its agent stays locked out. The record stays, and restoring the device approves it.`,
      confirm: `Reject ${name}`,
      run: () => reject.mutateAsync(),
      failed: `${name} wasn’t rejected`,
    })
    if (isRejected) notifyDone(`${name} was rejected`)
  }
  return (
    <Notice tone="warn" title="This device waits for approval" mb="md">
      <Text size="sm">
        {reasonText(device.quarantinedReason)}{' '}
        {device.quarantinedReason === 'hostname_collision' && (
          <TextLink to="/devices" search={{ org: device.orgId, search: device.hostname }} inherit underline="always">
            Show devices named {device.hostname}
          </TextLink>
        )}
      </Text>
      <Text size="sm">
        Its reports are refused and it accepts no commands. Approve it only if you recognize it: its agent can then
        report and run commands.
      </Text>
      {device.quarantinedAt && <Text size="sm">Waiting since {exactTime(device.quarantinedAt)}</Text>}
      {can(me, 'devices:write') && (
        <Group gap="xs" mt="sm">
          <Button loading={approve.isPending} onClick={approveNow}>
            Approve
          </Button>
          <Button variant="default" onClick={askToReject}>
            Reject…
          </Button>
        </Group>
      )}
    </Notice>
  )
}

/** A reason that this console does not know, such as one of a newer server, is shown as it is. */
function reasonText(reason: string | null): string {
  if (reason === null) return 'No reason was recorded.'
  if (reason === 'hostname_collision') return 'Another device has the same name.'
  return `Reason: ${reason.replaceAll('_', ' ')}`
}
