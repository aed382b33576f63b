import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { partnerOrganizationsQuery } from '../../data/partners.ts'
import { OrganizationStatus } from '../../domain/organizations/organization-status.tsx'
import { plural } from '../../lib/format.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Panel } from '../../ui/panel.tsx'

const limit = 10

/** The partner's organizations, with links. */
export function PartnerOrganizations({ partnerId }: { partnerId: string }) {
  const [page = 1, setPage] = useState<number>()
  const organizations = useQuery(partnerOrganizationsQuery(partnerId, page, limit))
  return (
    <Panel title="Organizations">
      <Listed of={organizations} lines={3} empty="No organizations yet.">
        {({ data, pagination }) => (
          <Stack gap={0}>
            <Facts>
              {data.map(({ id, name, status, deviceCount }) => (
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
            <Pager {...pagination} what="organization" onPage={setPage} />
          </Stack>
        )}
      </Listed>
    </Panel>
  )
}
