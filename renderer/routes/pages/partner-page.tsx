import { SimpleGrid, Stack } from '@mantine/core'
import { IconShieldLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { Partner } from '../../../shared/api/partners.ts'
import { partnerQuery } from '../../data/partners.ts'
import { NotFound } from '../../domain/navigation/not-found.tsx'
import { DetailsPanel } from '../../features/partners/details-panel.tsx'
import { PartnerOrganizations } from '../../features/partners/partner-organizations.tsx'
import { PartnerStatus } from '../../features/partners/partner-status.tsx'
import { RemovePanel } from '../../features/partners/remove-panel.tsx'
import { StatusPanel } from '../../features/partners/status-panel.tsx'
import { NoPeopleNotice, PartnerPeople } from '../../features/people/partner-people.tsx'
import { PartnerSsoPanel } from '../../features/sso/partner-sso-panel.tsx'
import { ApiError } from '../../lib/api-error.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { ButtonLink, TextLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'

export function PartnerPage() {
  const { partnerId } = useParams({ from: '/app/companies/$partnerId' })
  const partner = useQuery(partnerQuery(partnerId))
  const { error } = partner
  if (error instanceof ApiError && (error.status === 404 || error.status === 403)) return <NotFound />
  // Remounted for another partner, so that input is never saved to the wrong one.
  return <Loaded of={partner}>{(shown) => <Details key={shown.id} partner={shown} />}</Loaded>
}

function Details({ partner }: { partner: Partner }) {
  const me = useMe()
  const isEditable = can(me, 'organizations:write')
  return (
    <>
      <PageHeader
        title={partner.name}
        before={
          <TextLink to="/companies" size="sm">
            Companies
          </TextLink>
        }
        beside={<PartnerStatus status={partner.status} />}
        actions={
          can(me, 'users:read') && (
            <ButtonLink
              to="/companies/$partnerId/roles"
              params={{ partnerId: partner.id }}
              variant="default"
              leftSection={<IconShieldLock size={16} />}
            >
              Roles
            </ButtonLink>
          )
        }
      />
      <NoPeopleNotice partner={partner} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} style={{ alignItems: 'start' }}>
        <Stack miw={0}>
          <DetailsPanel partner={partner} isEditable={isEditable} />
          <PartnerOrganizations partnerId={partner.id} />
          <PartnerSsoPanel partnerId={partner.id} />
        </Stack>
        <Stack miw={0}>
          <StatusPanel partner={partner} isEditable={isEditable} />
          {isEditable && <RemovePanel partner={partner} />}
        </Stack>
      </SimpleGrid>
      <PartnerPeople partner={partner} />
    </>
  )
}
