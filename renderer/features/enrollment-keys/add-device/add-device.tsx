import { Anchor, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { CreatedEnrollmentKey } from '../../../data/enrollment-keys.ts'
import { DeviceKeyForm } from './device-key-form.tsx'
import { RunOnDevice } from './run-on-device.tsx'

/**
 * First where the device belongs, then the command, then the devices as they enroll. The raw key is only in this
 * state. The set-up has no links, because device pages are closed until it is done.
 */
export function AddDevice({ hasLinks, orgId }: { hasLinks: boolean; orgId?: string | undefined }) {
  const [key, setKey] = useState<CreatedEnrollmentKey | null>(null)
  if (!key) return <DeviceKeyForm orgId={orgId} onCreated={setKey} />
  return (
    <Stack>
      <RunOnDevice enrollmentKey={key} hasLinks={hasLinks} />
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          Copy this now. The key won’t be shown again.
        </Text>
        <Anchor component="button" type="button" size="sm" c="var(--accent-text)" onClick={() => setKey(null)}>
          Create another key
        </Anchor>
      </Group>
    </Stack>
  )
}
