import { useNavigate, useSearch } from '@tanstack/react-router'
import { PageHeader } from '../../ui/page-header.tsx'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { AccountTab } from './account-tab.tsx'
import { SecurityTab } from './security-tab.tsx'
import { SessionsTab } from './sessions-tab.tsx'
import { SsoLinkResult } from './sso-link-result.tsx'

export function ProfilePage() {
  const { tab = 'profile' } = useSearch({ from: '/app/settings/profile' })
  const navigate = useNavigate({ from: '/settings/profile' })
  return (
    <>
      <PageHeader title="Your profile" />
      <SsoLinkResult />
      <PageTabs
        tabs={[
          { value: 'profile', label: 'Profile', content: <AccountTab />, keepsInput: true },
          { value: 'security', label: 'Security', content: <SecurityTab /> },
          { value: 'sessions', label: 'Sessions', content: <SessionsTab /> },
        ]}
        open={tab}
        onOpen={(next) => navigate({ search: (old) => ({ ...old, tab: next === 'profile' ? undefined : next }) })}
      />
    </>
  )
}
