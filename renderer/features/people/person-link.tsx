import type { UserRow } from '../../../shared/api/people.ts'
import type { PeopleOwner } from '../../data/people.ts'
import { personPage } from '../../domain/people/person-page.ts'
import { TextLink } from '../../ui/links.tsx'

export function PersonLink({ person, owner }: { person: UserRow; owner: PeopleOwner }) {
  return (
    <TextLink {...personPage(owner, person.id)} data-main fw={600} size="sm" c="inherit">
      {person.name}
    </TextLink>
  )
}
