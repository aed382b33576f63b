import { Alert, SimpleGrid, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Partner } from '../../../shared/api/partners.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Failed, Lines } from '../../ui/states.tsx'
import { AllowlistPanel } from './allowlist-panel.tsx'
import { CompanyName } from './company-name.tsx'
import { companyQuery } from './data.ts'
import { MfaPolicyPanel } from './mfa-policy-panel.tsx'

export function CompanyPage() {
  const { data: company, error, refetch } = useQuery(companyQuery)
  return (
    <>
      <PageHeader title="Company" about="What holds for everybody who works here." />
      {error && !company ? (
        <Failed error={error} onRetry={refetch} />
      ) : !company ? (
        <Lines />
      ) : (
        <Settings company={company} />
      )}
    </>
  )
}

function Settings({ company }: { company: Partner }) {
  const me = useMe()
  const isEditable = can(me, 'organizations:write') && me.canManagePartnerWide
  return (
    <Stack>
      {!isEditable && (
        <Alert variant="light" p="sm">
          You may read this. Changing it takes the right to change organizations, and access to all of them.
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }} style={{ alignItems: 'start' }}>
        <Stack miw={0}>
          <Panel title="Name">
            <CompanyName company={company} isEditable={isEditable} />
          </Panel>
          <MfaPolicyPanel company={company} isEditable={isEditable} />
        </Stack>
        <AllowlistPanel company={company} isEditable={isEditable} />
      </SimpleGrid>
    </Stack>
  )
}
