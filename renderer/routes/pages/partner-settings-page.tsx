import { Alert, SimpleGrid, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Partner } from '../../../shared/api/partners.ts'
import { companyQuery } from '../../data/partner.ts'
import { BrandingTab } from '../../features/login-branding/branding-tab.tsx'
import { AllowlistPanel } from '../../features/partner-settings/allowlist-panel.tsx'
import { GeneralTab } from '../../features/partner-settings/general-tab.tsx'
import { mayChangeCompany } from '../../features/partner-settings/may-change.ts'
import { MfaPolicyPanel } from '../../features/partner-settings/mfa-policy-panel.tsx'
import { companyTabs } from '../../features/partner-settings/tabs.ts'
import { ConnectionsPanel } from '../../features/psa/connections-panel.tsx'
import { SignOn } from '../../features/sso/sso-panel.tsx'
import { useMe } from '../../lib/session.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'

export function CompanyPage() {
  const own = useQuery(companyQuery)
  return (
    <>
      <PageHeader title="Company" about="What holds for everybody who works here." />
      <Loaded of={own}>{(company) => <Settings company={company} />}</Loaded>
    </>
  )
}

function Settings({ company }: { company: Partner }) {
  const me = useMe()
  const { tab = 'general' } = useSearch({ from: '/app/settings/company' })
  const navigate = useNavigate({ from: '/settings/company' })
  const open = (next: string | null) =>
    navigate({ search: (old) => ({ ...old, tab: companyTabs.find((one) => one === next) }) })
  const isEditable = mayChangeCompany(me)
  const isWhole = isEditable && me.canManagePartnerWide
  return (
    <>
      {!isEditable && (
        <Alert variant="light" p="sm" mb="md">
          You may read this. Changing it takes the right to change organizations, and access to all of them.
        </Alert>
      )}
      {/* What is typed in one tab is still there after a look into another. */}
      <Tabs value={tab} onChange={open} keepMountedMode="display-none">
        <Tabs.List mb="md">
          <Tabs.Tab value="general">General</Tabs.Tab>
          <Tabs.Tab value="security">Security</Tabs.Tab>
          <Tabs.Tab value="sign-on">Single sign-on</Tabs.Tab>
          <Tabs.Tab value="sign-in">Sign-in page</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="general">
          <GeneralTab
            company={company}
            isEditable={isEditable}
            psaConnections={<ConnectionsPanel isEditable={isWhole} usedId={company.serviceManagementPsaConnectionId} />}
          />
        </Tabs.Panel>
        <Tabs.Panel value="security">
          <SimpleGrid cols={{ base: 1, lg: 2 }} style={{ alignItems: 'start' }}>
            <MfaPolicyPanel company={company} isEditable={isEditable} />
            <AllowlistPanel company={company} isEditable={isEditable} />
          </SimpleGrid>
        </Tabs.Panel>
        <Tabs.Panel value="sign-on">
          {isEditable && !isWhole && <ForWholeCompany />}
          <SignOn owner={{}} />
        </Tabs.Panel>
        <Tabs.Panel value="sign-in">
          {isEditable && !isWhole && <ForWholeCompany />}
          <BrandingTab isEditable={isWhole} />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

function ForWholeCompany() {
  return (
    <Alert variant="light" p="sm" mb="md">
      You may read this. Changing it takes access to all organizations.
    </Alert>
  )
}
