import { Badge, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { mailProblemsQuery } from '../../data/messaging.ts'
import { count } from '../../lib/format.ts'

/** Number of mails that need the administrator's attention; absent if there are none. */
export function MailProblemBadge() {
  const { failed = 0, stranded = 0 } = useQuery(mailProblemsQuery).data ?? {}
  const amount = failed + stranded
  if (amount === 0) return null
  return (
    <Badge size="sm" tt="none" color={failed > 0 ? 'red' : 'gray'} variant="light">
      {count(amount)}
      <VisuallyHidden>
        {amount === 1 ? ' email' : ' emails'} {failed > 0 ? 'failed or waiting' : 'waiting for a mail server'}
      </VisuallyHidden>
    </Badge>
  )
}
