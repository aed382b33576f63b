import { SimpleGrid, Stack } from '@mantine/core'
import { IconShieldLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { Partner } from '../../../shared/api/partners.ts'
import { oneCompanyQuery } from '../../data/partners.ts'
import { NotFound } from '../../domain/navigation/not-found.tsx'
import { DetailsPanel } from '../../features/partners/details-panel.tsx'
import { CompanyOrganizations } from '../../features/partners/partner-organizations.tsx'
import { CompanyStatus } from '../../features/partners/partner-status.tsx'
import { RemovePanel } from '../../features/partners/remove-panel.tsx'
import { StatusPanel } from '../../features/partners/status-panel.tsx'
import { CompanyPeople, NobodyHere } from '../../features/people/partner-people.tsx'
import { CompanySignOnPanel } from '../../features/sso/partner-sso-panel.tsx'
import { ApiError } from '../../lib/api-error.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { ButtonLink, TextLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'

export function CompanyDetailsPage() {
  const { companyId } = useParams({ from: '/app/companies/$companyId' })
  const company = useQuery(oneCompanyQuery(companyId))
  const { error } = company
  if (error instanceof ApiError && (error.status === 404 || error.status === 403)) return <NotFound />
  // What is typed for one company is never saved to another.
  return <Loaded of={company}>{(shown) => <Details key={shown.id} company={shown} />}</Loaded>
}

function Details({ company }: { company: Partner }) {
  const me = useMe()
  const isEditable = can(me, 'organizations:write')
  return (
    <>
      <PageHeader
        title={company.name}
        before={
          <TextLink to="/companies" size="sm">
            Companies
          </TextLink>
        }
        beside={<CompanyStatus status={company.status} />}
        actions={
          can(me, 'users:read') && (
            <ButtonLink
              to="/companies/$companyId/roles"
              params={{ companyId: company.id }}
              variant="default"
              leftSection={<IconShieldLock size={16} />}
            >
              Roles
            </ButtonLink>
          )
        }
      />
      <NobodyHere company={company} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} style={{ alignItems: 'start' }}>
        <Stack miw={0}>
          <DetailsPanel company={company} isEditable={isEditable} />
          <CompanyOrganizations partnerId={company.id} />
          <CompanySignOnPanel companyId={company.id} />
        </Stack>
        <Stack miw={0}>
          <StatusPanel company={company} isEditable={isEditable} />
          {isEditable && <RemovePanel company={company} />}
        </Stack>
      </SimpleGrid>
      <CompanyPeople company={company} />
    </>
  )
}
