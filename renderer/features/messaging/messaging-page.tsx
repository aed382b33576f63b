import { Tabs } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { PageHeader } from '../../ui/page-header.tsx'
import { MailServerTab } from './mail-server-tab.tsx'
import { OutboxTab } from './outbox-tab.tsx'
import { TextMessagesTab } from './text-messages-tab.tsx'

export function MessagingPage() {
  const { tab = 'outbox' } = useSearch({ from: '/app/system/mail' })
  const navigate = useNavigate({ from: '/system/mail' })
  const open = (next: string | null) =>
    navigate({ search: { tab: next === 'mail-server' || next === 'text-messages' ? next : undefined } })
  return (
    <>
      <PageHeader title="Messages" about="Outgoing email and text messages, and how they’re delivered." />
      <Tabs value={tab} onChange={open} keepMounted={false} keepMountedMode="display-none">
        <Tabs.List mb="md">
          <Tabs.Tab value="outbox">Outgoing email</Tabs.Tab>
          <Tabs.Tab value="mail-server">Mail server</Tabs.Tab>
          <Tabs.Tab value="text-messages">Text messages</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="outbox">
          <OutboxTab />
        </Tabs.Panel>
        {/* Input stays while another tab is open. */}
        <Tabs.Panel value="mail-server" keepMounted>
          <MailServerTab />
        </Tabs.Panel>
        <Tabs.Panel value="text-messages" keepMounted>
          <TextMessagesTab />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}
