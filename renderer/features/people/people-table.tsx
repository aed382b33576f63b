import { Group, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { UserRow } from '../../../shared/api/people.ts'
import type { PeopleOwner } from '../../data/people.ts'
import { personPage } from '../../domain/people/person-page.ts'
import { UserAvatar } from '../../domain/people/user-avatar.tsx'
import { useMe } from '../../lib/session.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { AccountBadges } from './account-badges.tsx'
import { FactorStatus } from './factor-status.tsx'
import { PersonLink } from './person-link.tsx'
import { reachSummary } from './reach-labels.ts'

interface Props {
  people: readonly UserRow[]
  owner: PeopleOwner
  /** Name of the tenant of the partner's own people. */
  partnerName: string
}

export function PeopleTable({ people, owner, partnerName }: Props) {
  const me = useMe()
  const navigate = useNavigate()
  const isOneOrganization = me.scope === 'organization' || owner.orgId !== undefined
  const columns: Column<UserRow>[] = [
    {
      id: 'name',
      title: 'Name',
      isFixed: true,
      cell: (person) => <Name person={person} owner={owner} isSelf={person.id === me.id} />,
    },
    { id: 'role', title: 'Role', cell: ({ roleName }) => roleName },
    {
      id: 'sees',
      title: 'Access',
      cell: (person) =>
        isOneOrganization ? (
          reachSummary(person)
        ) : (
          <>
            {person.orgName ?? partnerName}
            <SecondLine>{reachSummary(person)}</SecondLine>
          </>
        ),
    },
    { id: 'second-factor', title: 'Second factor', cell: (person) => <FactorStatus person={person} /> },
    {
      id: 'last-sign-in',
      title: 'Last sign-in',
      cell: ({ lastLoginAt }) => <RelativeTime at={lastLoginAt} never="Never" />,
    },
  ]
  return (
    <DataTable
      label="People"
      rows={people}
      rowKey={({ id, orgId }) => `${id} ${orgId}`}
      columns={columns}
      minWidth={760}
      columnChoice="people"
      onOpen={({ id }) => navigate(personPage(owner, id))}
    />
  )
}

function Name({ person, owner, isSelf }: { person: UserRow; owner: PeopleOwner; isSelf: boolean }) {
  return (
    <Group gap="sm" wrap="nowrap">
      <UserAvatar person={person} />
      <Stack gap={0} miw={0}>
        <Group gap="xs">
          <PersonLink person={person} owner={owner} />
          <AccountBadges person={person} isSelf={isSelf} />
        </Group>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {person.email}
        </Text>
      </Stack>
    </Group>
  )
}
