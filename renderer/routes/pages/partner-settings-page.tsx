import { Alert, SimpleGrid, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Partner } from '../../../shared/api/partners.ts'
import { ownPartnerQuery } from '../../data/partner.ts'
import { BrandingTab } from '../../features/login-branding/branding-tab.tsx'
import { AllowlistPanel } from '../../features/partner-settings/allowlist-panel.tsx'
import { GeneralTab } from '../../features/partner-settings/general-tab.tsx'
import { mayChangePartner } from '../../features/partner-settings/may-change-partner.ts'
import { MfaPolicyPanel } from '../../features/partner-settings/mfa-policy-panel.tsx'
import { partnerSettingsTabs } from '../../features/partner-settings/partner-settings-tabs.ts'
import { PsaConnectionsPanel } from '../../features/psa/connections-panel.tsx'
import { SsoPanel } from '../../features/sso/sso-panel.tsx'
import { useMe } from '../../lib/session.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'

export function PartnerSettingsPage() {
  const own = useQuery(ownPartnerQuery)
  return (
    <>
      <PageHeader title="Company" about="Settings for everyone in your company." />
      <Loaded of={own}>{(partner) => <Settings partner={partner} />}</Loaded>
    </>
  )
}

function Settings({ partner }: { partner: Partner }) {
  const me = useMe()
  const { tab = 'general' } = useSearch({ from: '/app/settings/company' })
  const navigate = useNavigate({ from: '/settings/company' })
  const open = (next: string | null) =>
    navigate({ search: (old) => ({ ...old, tab: partnerSettingsTabs.find((one) => one === next) }) })
  const isEditable = mayChangePartner(me)
  const isWhole = isEditable && me.canManagePartnerWide
  return (
    <>
      {!isEditable && (
        <Alert variant="light" p="sm" mb="md">
          Read-only. To make changes you need the permission Organizations: Change and access to all organizations.
        </Alert>
      )}
      {/* Input stays while another tab is open. */}
      <Tabs value={tab} onChange={open} keepMountedMode="display-none">
        <Tabs.List mb="md">
          <Tabs.Tab value="general">General</Tabs.Tab>
          <Tabs.Tab value="security">Security</Tabs.Tab>
          <Tabs.Tab value="sign-on">Single sign-on</Tabs.Tab>
          <Tabs.Tab value="sign-in">Sign-in page</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="general">
          <GeneralTab
            partner={partner}
            isEditable={isEditable}
            psaConnections={
              <PsaConnectionsPanel isEditable={isWhole} usedId={partner.serviceManagementPsaConnectionId} />
            }
          />
        </Tabs.Panel>
        <Tabs.Panel value="security">
          <SimpleGrid cols={{ base: 1, lg: 2 }} style={{ alignItems: 'start' }}>
            <MfaPolicyPanel partner={partner} isEditable={isEditable} />
            <AllowlistPanel partner={partner} isEditable={isEditable} />
          </SimpleGrid>
        </Tabs.Panel>
        <Tabs.Panel value="sign-on">
          {isEditable && !isWhole && <FullPartnerAccessNote />}
          <SsoPanel owner={{}} />
        </Tabs.Panel>
        <Tabs.Panel value="sign-in">
          {isEditable && !isWhole && <FullPartnerAccessNote />}
          <BrandingTab isEditable={isWhole} />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

function FullPartnerAccessNote() {
  return (
    <Alert variant="light" p="sm" mb="md">
      Read-only. To make changes you need access to all organizations.
    </Alert>
  )
}
