import { Group, Stack, Table, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { UserRow } from '../../../shared/api/people.ts'
import type { PeopleOwner } from '../../data/people.ts'
import { UserAvatar } from '../../domain/people/user-avatar.tsx'
import { useMe } from '../../lib/session.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { TableFrame } from '../../ui/table-frame.tsx'
import { useRowKeys } from '../../ui/use-row-keys.ts'
import { AccountBadges } from './account-badges.tsx'
import { FactorStatus } from './factor-status.tsx'
import { PersonLink, personPage } from './person-link.tsx'
import { reachSummary } from './reach-labels.ts'

interface Props {
  people: readonly UserRow[]
  owner: PeopleOwner
  /** Name of the tenant of the partner's own people. */
  partnerName: string
}

export function PeopleTable({ people, owner, partnerName }: Props) {
  const body = useRowKeys<HTMLTableSectionElement>()
  const navigate = useNavigate()
  return (
    <TableFrame label="People">
      <Table tabularNums miw={{ sm: 760 }}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Role</Table.Th>
            <Table.Th>Sees</Table.Th>
            <Table.Th>Second factor</Table.Th>
            <Table.Th>Last sign-in</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody ref={body}>
          {people.map((person) => (
            <Table.Tr
              key={`${person.id} ${person.orgId}`}
              data-clickable
              onClick={() => navigate(personPage(owner, person.id))}
            >
              <Cells person={person} owner={owner} partnerName={partnerName} />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </TableFrame>
  )
}

function Cells({ person, owner, partnerName }: Omit<Props, 'people'> & { person: UserRow }) {
  const me = useMe()
  const isOneOrganization = me.scope === 'organization' || owner.orgId !== undefined
  return (
    <>
      <Table.Td>
        <Group gap="sm" wrap="nowrap">
          <UserAvatar person={person} />
          <Stack gap={0} miw={0}>
            <Group gap="xs">
              <PersonLink person={person} owner={owner} />
              <AccountBadges person={person} isSelf={person.id === me.id} />
            </Group>
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {person.email}
            </Text>
          </Stack>
        </Group>
      </Table.Td>
      <Table.Td data-label="Role">{person.roleName}</Table.Td>
      <Table.Td data-label="Sees">
        {isOneOrganization ? (
          reachSummary(person)
        ) : (
          <>
            {person.orgName ?? partnerName}
            <Text size="xs" c="dimmed">
              {reachSummary(person)}
            </Text>
          </>
        )}
      </Table.Td>
      <Table.Td data-label="Second factor">
        <FactorStatus person={person} />
      </Table.Td>
      <Table.Td data-label="Last sign-in">
        <RelativeTime at={person.lastLoginAt} never="Never" />
      </Table.Td>
    </>
  )
}
