import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { enrollmentKeysQuery } from '../../data/enrollment-keys.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { DeviceLimitNotice } from './device-limit-notice.tsx'
import { KeyTable } from './key-table.tsx'

/** The newest keys of one organization. */
export function OrganizationKeys({ orgId }: { orgId: string }) {
  const keys = useQuery(enrollmentKeysQuery({ orgId, page: 1, limit: 10 }))
  return (
    <Panel
      title="Enrollment keys"
      actions={
        <ButtonLink size="xs" variant="default" to="/enrollment-keys" search={{ org: orgId }}>
          All keys
        </ButtonLink>
      }
    >
      <Stack gap="sm">
        <DeviceLimitNotice orgId={orgId} />
        <Listed of={keys} lines={3} empty={'No keys. “Add a device” creates one.'}>
          {({ data }) => <KeyTable keys={data} />}
        </Listed>
      </Stack>
    </Panel>
  )
}
