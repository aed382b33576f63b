import { Badge, Group, Table, Text, VisuallyHidden } from '@mantine/core'
import { IconUsers } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { UserRow } from '../../../shared/api/people.ts'
import { plural } from '../../lib/format.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { Listed } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { NoMatch, Nothing } from '../../ui/states.tsx'
import { TableFrame } from '../../ui/table-frame.tsx'
import { peopleQuery } from './data.ts'
import { FactorStatus } from './factor-status.tsx'
import { matching } from './matching.ts'
import { ResetFactors } from './reset-factors.tsx'

export function PeoplePage() {
  const { search } = useSearch({ from: '/app/settings/people' })
  const navigate = useNavigate({ from: '/settings/people' })
  const people = useQuery(peopleQuery)
  const setSearch = (text: string | undefined) => navigate({ search: { search: text }, replace: true })
  return (
    <>
      <PageHeader title="People" about="Who works here, and how their accounts are protected." />
      <Group mb="md" role="search" aria-label="Search the people">
        <SearchBox label="Search by name, e-mail or role" value={search} onSearch={setSearch} />
      </Group>
      <Listed of={people} empty={nobody}>
        {(all) => <Found people={all} shown={matching(all, search)} onClear={() => setSearch(undefined)} />}
      </Listed>
    </>
  )
}

const nobody = (
  <Nothing icon={<IconUsers stroke={1.5} />} title="Nobody is here yet">
    People appear here once they belong to your company.
  </Nothing>
)

interface FoundProps {
  people: UserRow[]
  shown: UserRow[]
  onClear: () => void
}

function Found({ people, shown, onClear }: FoundProps) {
  if (shown.length === 0) return <NoMatch what="people" onClear={onClear} />
  return (
    <>
      <TableFrame label="People">
        <PeopleTable people={shown} />
      </TableFrame>
      <Text size="sm" c="dimmed" mt="sm" aria-live="polite">
        {shown.length < people.length && `${shown.length} of `}
        {plural(people.length, 'person', 'people')}
      </Text>
      <Text size="sm" c="dimmed" mt="xs">
        Homeport can not invite colleagues yet. Whoever registers gets a company of their own and does not appear here.
      </Text>
    </>
  )
}

const states: Record<UserRow['status'], string | null> = { active: null, invited: 'Invited', disabled: 'Disabled' }

function PeopleTable({ people }: { people: UserRow[] }) {
  const me = useMe()
  const mayReset = can(me, 'users:write')
  const isOfMany = me.scope !== 'organization'
  return (
    <Table tabularNums miw={{ sm: 760 }}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th>Role</Table.Th>
          <Table.Th>Second factor</Table.Th>
          <Table.Th>Last sign-in</Table.Th>
          <Table.Th w={180}>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {people.map((person) => (
          <Table.Tr key={`${person.id} ${person.orgId}`}>
            <Table.Td>
              <Group gap="xs">
                <Text size="sm" fw={500}>
                  {person.name}
                </Text>
                {person.id === me.id && (
                  <Badge variant="light" size="sm">
                    You
                  </Badge>
                )}
                {states[person.status] && (
                  <Badge variant="default" size="sm">
                    {states[person.status]}
                  </Badge>
                )}
              </Group>
              <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {person.email}
              </Text>
            </Table.Td>
            <Table.Td data-label="Role">
              {person.roleName}
              {isOfMany && person.orgName && (
                <Text size="xs" c="dimmed">
                  {person.orgName}
                </Text>
              )}
            </Table.Td>
            <Table.Td data-label="Second factor">
              <FactorStatus person={person} />
            </Table.Td>
            <Table.Td data-label="Last sign-in">
              <RelativeTime at={person.lastLoginAt} never="Never" />
            </Table.Td>
            <Table.Td data-actions ta={{ sm: 'right' }}>
              {mayReset && person.mfaEnabled && person.id !== me.id && <ResetFactors person={person} />}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
