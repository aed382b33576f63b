import { useNavigate, useSearch } from '@tanstack/react-router'
import { OrganizationSwitcher } from '../../domain/organizations/organization-switcher.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PageTabs } from '../../ui/page-tabs.tsx'
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
      <PageTabs
        tabs={[
          {
            value: 'events',
            label: 'Events',
            content: (
              <>
                <BrokenChainsNotice />
                <EventList />
              </>
            ),
          },
          { value: 'chains', label: 'Integrity', content: <ChainView /> },
        ]}
        open={tab}
        onOpen={(next) => navigate({ search: (old) => ({ ...old, tab: next === 'events' ? undefined : next }) })}
      />
    </>
  )
}
