import { PageHeader } from '../../ui/page-header.tsx'
import { Switcher } from '../tree/switcher.tsx'
import { EventList } from './event-list.tsx'

export function AuditLogPage() {
  return (
    <>
      <PageHeader
        title="Audit log"
        before={<Switcher hiddenFrom="sm" />}
        about="Who did what, when and from where. Nothing in it can be changed."
      />
      <EventList />
    </>
  )
}
