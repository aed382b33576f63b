import type { UserRow } from '../../../shared/api/people.ts'
import type { PeopleOwner } from '../../data/people.ts'
import { TextLink } from '../../ui/links.tsx'

/** The page of a person; for platform administrators, below the partner. */
export const personPage = ({ partnerId, orgId }: PeopleOwner, personId: string) =>
  partnerId
    ? ({ to: '/companies/$partnerId/people/$personId', params: { partnerId, personId } } as const)
    : ({ to: '/settings/people/$personId', params: { personId }, search: { in: orgId } } as const)

export function PersonLink({ person, owner }: { person: UserRow; owner: PeopleOwner }) {
  return (
    <TextLink {...personPage(owner, person.id)} data-main fw={600} size="sm" c="inherit">
      {person.name}
    </TextLink>
  )
}
