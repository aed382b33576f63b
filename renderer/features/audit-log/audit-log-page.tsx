import { Tabs } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { OrganizationSwitcher } from '../../domain/organizations/organization-switcher.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { BrokenChainsNotice } from './broken-chains-notice.tsx'
import { ChainView } from './chain-view.tsx'
import { EventList } from './event-list.tsx'

export function AuditLogPage() {
  const { tab = 'events' } = useSearch({ from: '/app/audit' })
  const navigate = useNavigate({ from: '/audit' })
  return (
    <>
      <PageHeader
        title="Audit log"
        before={<OrganizationSwitcher hiddenFrom="sm" />}
        about="Who did what, when and from where. Tamper-evident."
      />
      <Tabs
        value={tab}
        onChange={(next) => navigate({ search: (old) => ({ ...old, tab: next === 'chains' ? next : undefined }) })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="events">Events</Tabs.Tab>
          <Tabs.Tab value="chains">Integrity</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="events">
          <BrokenChainsNotice />
          <EventList />
        </Tabs.Panel>
        <Tabs.Panel value="chains">
          <ChainView />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}
