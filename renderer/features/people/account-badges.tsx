import { Badge } from '@mantine/core'
import type { UserRow } from '../../../shared/api/people.ts'
import { useNow } from '../../lib/now.ts'
import { isInviteLinkExpired } from './invite-link-expiry.ts'

/** Badges that matter most: the user's own account, or an account that cannot be used. */
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
