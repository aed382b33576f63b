import { Badge } from '@mantine/core'
import type { UserRow } from '../../../shared/api/people.ts'

const words: Record<UserRow['status'], string | null> = { active: null, invited: 'Invited', disabled: 'Disabled' }

/** What is to be known of an account before anything else: that it is one's own, or can not be used. */
export function AccountBadges({ person, isSelf }: { person: UserRow; isSelf: boolean }) {
  return (
    <>
      {isSelf && (
        <Badge variant="light" size="sm">
          You
        </Badge>
      )}
      {words[person.status] && (
        <Badge variant="default" size="sm">
          {words[person.status]}
        </Badge>
      )}
    </>
  )
}
