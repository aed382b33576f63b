import { Alert, Group } from '@mantine/core'
import { IconMail } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { mailStatus } from '../../../shared/api/messaging.ts'
import { mailQuery, mailSettingsQuery } from '../../data/messaging.ts'
import { PublicAddressNotice } from '../../domain/system/link-notice.tsx'
import { count } from '../../lib/format.ts'
import { PagedList } from '../../ui/data-table/paged-list.tsx'
import { FilterSegments } from '../../ui/filter-segments.tsx'
import { TextLink } from '../../ui/links.tsx'
import { EmptyList, NoMatch } from '../../ui/states.tsx'
import { mailStatusNames } from './mail-labels.ts'
import { MailTable } from './mail-table.tsx'

const limit = 50

type MailStatus = keyof typeof mailStatusNames

export function OutboxTab() {
  const { status, page = 1 } = useSearch({ from: '/app/system/mail' })
  const navigate = useNavigate({ from: '/system/mail' })
  const mails = useQuery(mailQuery({ status, page, limit }))
  const settings = useQuery(mailSettingsQuery).data
  const show = (next: MailStatus | undefined) =>
    navigate({ search: (old) => ({ ...old, status: next, page: undefined }) })
  const { queued = 0, failed = 0 } = mails.data ?? {}
  return (
    <>
      <PublicAddressNotice />
      {settings?.source === 'none' && <NoServer />}
      {settings?.provider === 'file' && <ToFiles />}
      <Group mb="md">
        <FilterSegments
          label="Email to show"
          data={mailStatus.options.map((value) => ({
            value,
            label: labelOf(value, { queued, failed }, settings?.provider === 'file'),
          }))}
          value={status}
          onChange={show}
        />
      </Group>
      <PagedList
        of={mails}
        what="mail"
        onPage={(page) => navigate({ search: (old) => ({ ...old, page }) })}
        empty={
          status || page > 1 ? (
            <NoMatch what="mails" onClear={() => show(undefined)} />
          ) : (
            <EmptyList icon={<IconMail stroke={1.5} />} title="No recent email">
              Password resets, confirmations and warnings appear here, without their content.
            </EmptyList>
          )
        }
      >
        {(rows, isStale) => <MailTable mails={rows} isStale={isStale} />}
      </PagedList>
    </>
  )
}

function labelOf(status: MailStatus, counts: Partial<Record<MailStatus, number>>, isToFiles: boolean): string {
  const amount = counts[status]
  const word = status === 'sent' && isToFiles ? 'Written to file' : mailStatusNames[status].word
  return amount ? `${word} (${count(amount)})` : word
}

function ToFiles() {
  return (
    <Alert variant="light" p="sm" mb="md">
      Email is written to files and not sent.{' '}
      <TextLink to="/system/mail" search={{ tab: 'mail-server' }} size="sm" underline="always">
        Where they are
      </TextLink>
    </Alert>
  )
}

function NoServer() {
  return (
    <Alert color="yellow" variant="light" p="sm" mb="md">
      No mail server is set up. Email waits here until there is one, or until its links expire.{' '}
      <TextLink to="/system/mail" search={{ tab: 'mail-server' }} size="sm" underline="always">
        Set up mail server
      </TextLink>
    </Alert>
  )
}
