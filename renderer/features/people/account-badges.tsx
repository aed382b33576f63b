import { Badge } from '@mantine/core'
import type { UserRow } from '../../../shared/api/people.ts'
import { useNow } from '../../lib/now.ts'
import { isInviteLinkExpired } from './invite-link.ts'

/** What is to be known of an account before anything else: that it is one's own, or can not be used. */
export function AccountBadges({ person, isSelf }: { person: UserRow; isSelf: boolean }) {
  const word = useStateWord(person)
  return (
    <>
      {isSelf && (
        <Badge variant="light" size="sm">
          You
        </Badge>
      )}
      {word && (
        <Badge variant="default" size="sm">
          {word}
        </Badge>
      )}
    </>
  )
}

function useStateWord(person: UserRow): string | null {
  const now = useNow()
  if (person.status === 'active') return null
  if (person.status === 'disabled') return 'Disabled'
  return isInviteLinkExpired(person, now) ? 'Invitation expired' : 'Invited'
}
