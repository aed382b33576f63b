import { IconUsers } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import type { UserRow } from '../../../shared/api/people.ts'
import { type PeopleOwner, peopleQuery } from '../../data/people.ts'
import { useMe } from '../../lib/session.ts'
import { pageOf } from '../../ui/data-table/page-of.ts'
import { Listed } from '../../ui/loaded.tsx'
import { Pager } from '../../ui/pager.tsx'
import { EmptyList, NoMatch } from '../../ui/states.tsx'
import { type PeopleFilters as Filters, filterPeople } from './filter-people.ts'
import { InviteButton } from './invite-button.tsx'
import { PeopleFilters } from './people-filters.tsx'
import { PeopleTable } from './people-table.tsx'
import { useLivePeople } from './use-live-people.ts'

/** Rows per page; the whole list is loaded, but too long to render. */
const limit = 50

export interface PeopleSearch extends Filters {
  page?: number | undefined
}

interface Props {
  owner: PeopleOwner
  partnerName: string
  search: PeopleSearch
  onSearch: (change: PeopleSearch) => void
  /** Why nobody can be invited at the moment. */
  isClosed?: boolean
}

export function PeopleList(props: Props) {
  const { owner, partnerName, isClosed } = props
  const people = useQuery(peopleQuery(owner))
  useLivePeople()
  const inviteButton = !isClosed && <InviteButton owner={owner} partnerName={partnerName} />
  const nobody = (
    <EmptyList icon={<IconUsers stroke={1.5} />} title="No people yet" action={inviteButton}>
      Invite colleagues; they choose their own password.
    </EmptyList>
  )
  return (
    <Listed of={people} empty={nobody}>
      {(all) => <Narrowed {...props} people={all} inviteButton={inviteButton} />}
    </Listed>
  )
}

interface NarrowedProps extends Props {
  people: readonly UserRow[]
  inviteButton: ReactNode
}

function Narrowed({ people, owner, partnerName, search, onSearch, inviteButton }: NarrowedProps) {
  const { search: text, within, as, account, page = 1 } = search
  const filters = useMemo(() => ({ search: text, within, as, account }), [text, within, as, account])
  const found = useMemo(() => filterPeople(people, filters), [people, filters])
  const change = (change: Filters) => onSearch({ ...change, page: undefined })
  const clear = () => change({ search: undefined, within: undefined, as: undefined, account: undefined })
  const isOneOrganization = useMe().scope === 'organization' || owner.orgId !== undefined
  const isFiltered = Object.values(filters).some(Boolean)
  const { rows, pagination } = pageOf(found, page, limit)
  return (
    <>
      <PeopleFilters
        people={people}
        isOneOrganization={isOneOrganization}
        filters={filters}
        partnerName={partnerName}
        onChange={change}
        onClear={isFiltered && found.length > 0 ? clear : undefined}
        actions={inviteButton}
      />
      {found.length === 0 ? (
        <NoMatch what="people" onClear={clear} />
      ) : (
        <>
          <PeopleTable people={rows} owner={owner} partnerName={partnerName} />
          <Pager
            {...pagination}
            {...(isOnceEach(people) ? { what: 'person', many: 'people' } : { what: 'membership' })}
            onPage={(page) => onSearch({ page })}
          />
        </>
      )}
    </>
  )
}

/** A person with several memberships has a row for each. */
const isOnceEach = (people: readonly UserRow[]) => new Set(people.map(({ id }) => id)).size === people.length
