import { useNavigate, useSearch } from '@tanstack/react-router'
import { PageHeader } from '../../ui/page-header.tsx'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { MailServerTab } from './mail-server-tab.tsx'
import { OutboxTab } from './outbox-tab.tsx'
import { TextMessagesTab } from './text-messages-tab.tsx'

export function MessagingPage() {
  const { tab = 'outbox' } = useSearch({ from: '/app/system/mail' })
  const navigate = useNavigate({ from: '/system/mail' })
  return (
    <>
      <PageHeader title="Messages" about="Outgoing email and text messages, and how they’re delivered." />
      <PageTabs
        tabs={[
          { value: 'outbox', label: 'Outgoing email', content: <OutboxTab /> },
          { value: 'mail-server', label: 'Mail server', content: <MailServerTab />, keepsInput: true },
          { value: 'text-messages', label: 'Text messages', content: <TextMessagesTab />, keepsInput: true },
        ]}
        open={tab}
        onOpen={(next) => navigate({ search: { tab: next === 'outbox' ? undefined : next } })}
      />
    </>
  )
}
