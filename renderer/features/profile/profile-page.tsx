import { Tabs } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { PageHeader } from '../../ui/page-header.tsx'
import { AccountTab } from './account-tab.tsx'
import { SecurityTab } from './security-tab.tsx'
import { SessionsTab } from './sessions-tab.tsx'
import { SsoLinkResult } from './sso-link-result.tsx'

export function ProfilePage() {
  const { tab = 'profile' } = useSearch({ from: '/app/settings/profile' })
  const navigate = useNavigate({ from: '/settings/profile' })
  const open = (next: string | null) =>
    navigate({ search: (old) => ({ ...old, tab: next === 'security' || next === 'sessions' ? next : undefined }) })
  return (
    <>
      <PageHeader title="Your profile" />
      <SsoLinkResult />
      <Tabs value={tab} onChange={open} keepMounted={false} keepMountedMode="display-none">
        <Tabs.List mb="md">
          <Tabs.Tab value="profile">Profile</Tabs.Tab>
          <Tabs.Tab value="security">Security</Tabs.Tab>
          <Tabs.Tab value="sessions">Sessions</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="profile" keepMounted>
          <AccountTab />
        </Tabs.Panel>
        <Tabs.Panel value="security">
          <SecurityTab />
        </Tabs.Panel>
        <Tabs.Panel value="sessions">
          <SessionsTab />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}
