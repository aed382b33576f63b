import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ButtonLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Failed, Lines } from '../../ui/states.tsx'
import { enrollmentKeysQuery } from './data.ts'
import { KeyTable } from './key-table.tsx'

/** The newest keys of one organization. */
export function OrganizationKeys({ orgId }: { orgId: string }) {
  const { data, error, refetch } = useQuery(enrollmentKeysQuery({ orgId, page: 1, limit: 10 }))
  return (
    <Panel
      title="Enrollment keys"
      actions={
        <ButtonLink size="xs" variant="default" to="/enrollment-keys" search={{ org: orgId }}>
          All keys
        </ButtonLink>
      }
    >
      {error && !data ? (
        <Failed error={error} onRetry={refetch} />
      ) : !data ? (
        <Lines count={3} />
      ) : data.data.length === 0 ? (
        <Text size="sm" c="dimmed">
          No keys. "Add a device" makes one.
        </Text>
      ) : (
        <KeyTable keys={data.data} />
      )}
    </Panel>
  )
}
