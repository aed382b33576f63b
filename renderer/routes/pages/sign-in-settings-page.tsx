import { SimpleGrid, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Partner } from '../../../shared/api/partners.ts'
import { ownPartnerQuery } from '../../data/partner.ts'
import { BrandingTab } from '../../features/login-branding/branding-tab.tsx'
import { AllowlistPanel } from '../../features/partner-settings/allowlist-panel.tsx'
import { mayChangePartner } from '../../features/partner-settings/may-change-partner.ts'
import { MfaPolicyPanel } from '../../features/partner-settings/mfa-policy-panel.tsx'
import { AllOrganizationsNote, ReadOnlyNote } from '../../features/partner-settings/read-only-notes.tsx'
import { signInTabs } from '../../features/partner-settings/sign-in-tabs.ts'
import { SsoPanel } from '../../features/sso/sso-panel.tsx'
import { useMe } from '../../lib/session.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'

export function SignInSettingsPage() {
  const own = useQuery(ownPartnerQuery)
  return (
    <>
      <PageHeader title="Sign-in and SSO" about="How people in your company sign in." />
      <Loaded of={own}>{(partner) => <Settings partner={partner} />}</Loaded>
    </>
  )
}

function Settings({ partner }: { partner: Partner }) {
  const me = useMe()
  const { tab = 'security' } = useSearch({ from: '/app/settings/sign-in' })
  const navigate = useNavigate({ from: '/settings/sign-in' })
  const open = (next: string | null) =>
    navigate({ search: (old) => ({ ...old, tab: signInTabs.find((one) => one === next) }) })
  const isEditable = mayChangePartner(me)
  const isWhole = isEditable && me.canManagePartnerWide
  return (
    <>
      {!isEditable && <ReadOnlyNote />}
      {/* Input stays while another tab is open. */}
      <Tabs value={tab} onChange={open} keepMountedMode="display-none">
        <Tabs.List mb="md">
          <Tabs.Tab value="security">Security</Tabs.Tab>
          <Tabs.Tab value="sign-on">Single sign-on</Tabs.Tab>
          <Tabs.Tab value="page">Sign-in page</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="security">
          <SimpleGrid cols={{ base: 1, lg: 2 }} style={{ alignItems: 'start' }}>
            <MfaPolicyPanel partner={partner} isEditable={isEditable} />
            <AllowlistPanel partner={partner} isEditable={isEditable} />
          </SimpleGrid>
        </Tabs.Panel>
        <Tabs.Panel value="sign-on">
          {isEditable && !isWhole && <AllOrganizationsNote />}
          <SsoPanel owner={{}} />
        </Tabs.Panel>
        <Tabs.Panel value="page">
          {isEditable && !isWhole && <AllOrganizationsNote />}
          <BrandingTab isEditable={isWhole} />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}
