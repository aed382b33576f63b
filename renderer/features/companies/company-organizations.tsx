import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { plural } from '../../lib/format.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Failed, Lines } from '../../ui/states.tsx'
import { OrganizationStatus } from '../organizations/status.tsx'
import { organizationsOfQuery } from './data.ts'

const limit = 10

/** What belongs to the company; each leads to its own page. */
export function CompanyOrganizations({ partnerId }: { partnerId: string }) {
  const [page, setPage] = useState(1)
  const { data, error, refetch } = useQuery(organizationsOfQuery(partnerId, page, limit))
  return (
    <Panel title="Organizations">
      {error && !data ? (
        <Failed error={error} onRetry={refetch} />
      ) : !data ? (
        <Lines count={3} />
      ) : data.pagination.total === 0 ? (
        <Text size="sm" c="dimmed">
          It has none yet.
        </Text>
      ) : (
        <Stack gap={0}>
          <Facts>
            {data.data.map(({ id, name, status, deviceCount }) => (
              <Fact
                key={id}
                name={
                  <TextLink to="/organizations/$orgId" params={{ orgId: id }} size="sm">
                    {name}
                  </TextLink>
                }
              >
                <OrganizationStatus status={status} />, {plural(deviceCount, 'device')}
              </Fact>
            ))}
          </Facts>
          <Pager page={page} limit={limit} total={data.pagination.total} what="organization" onPage={setPage} />
        </Stack>
      )}
    </Panel>
  )
}
