import { SimpleGrid } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Partner } from '../../../shared/api/partners.ts'
import { ownPartnerQuery } from '../../data/partner.ts'
import { BrandingTab } from '../../features/login-branding/branding-tab.tsx'
import { AllowlistPanel } from '../../features/partner-settings/allowlist-panel.tsx'
import { mayChangePartner } from '../../features/partner-settings/may-change-partner.ts'
import { MfaPolicyPanel } from '../../features/partner-settings/mfa-policy-panel.tsx'
import { AllOrganizationsNote, ReadOnlyNote } from '../../features/partner-settings/read-only-notes.tsx'
import { SsoPanel } from '../../features/sso/sso-panel.tsx'
import { useMe } from '../../lib/session.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PageTabs } from '../../ui/page-tabs.tsx'

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
  const isEditable = mayChangePartner(me)
  const isWhole = isEditable && me.canManagePartnerWide
  return (
    <>
      {!isEditable && <ReadOnlyNote />}
      <PageTabs
        tabs={[
          {
            value: 'security',
            label: 'Security',
            keepsInput: true,
            content: (
              <SimpleGrid cols={{ base: 1, lg: 2 }} style={{ alignItems: 'start' }}>
                <MfaPolicyPanel partner={partner} isEditable={isEditable} />
                <AllowlistPanel partner={partner} isEditable={isEditable} />
              </SimpleGrid>
            ),
          },
          {
            value: 'sign-on',
            label: 'Single sign-on',
            keepsInput: true,
            content: (
              <>
                {isEditable && !isWhole && <AllOrganizationsNote />}
                <SsoPanel owner={{}} />
              </>
            ),
          },
          {
            value: 'page',
            label: 'Sign-in page',
            keepsInput: true,
            content: (
              <>
                {isEditable && !isWhole && <AllOrganizationsNote />}
                <BrandingTab isEditable={isWhole} />
              </>
            ),
          },
        ]}
        open={tab}
        onOpen={(next) => navigate({ search: (old) => ({ ...old, tab: next === 'security' ? undefined : next }) })}
      />
    </>
  )
}
