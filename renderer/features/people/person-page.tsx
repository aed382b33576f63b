import { Group, SimpleGrid, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { UserRow } from '../../../shared/api/people.ts'
import { organizationQuery } from '../../data/organizations.ts'
import { partnerQuery } from '../../data/partners.ts'
import { type PeopleOwner, peopleQuery } from '../../data/people.ts'
import { HistoryButton } from '../../domain/audit-log/history-link.tsx'
import { NotFound } from '../../domain/navigation/not-found.tsx'
import { UserAvatar } from '../../domain/people/user-avatar.tsx'
import { useRememberOpened } from '../../domain/search/recently-opened.ts'
import { ApiError } from '../../lib/api-error.ts'
import { useMe } from '../../lib/session.ts'
import { TextLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { AccountBadges } from './account-badges.tsx'
import { AccountPanel } from './account-panel.tsx'
import { MembershipPanel } from './membership-panel.tsx'
import { useLivePeople } from './use-live-people.ts'

/** A person of the user's own partner, or of one of its organizations. */
export function PersonPage() {
  const { personId } = useParams({ from: '/app/settings/people/$personId' })
  const { in: orgId } = useSearch({ from: '/app/settings/people/$personId' })
  const organization = useQuery({ ...organizationQuery(orgId ?? ''), enabled: Boolean(orgId) }).data
  const me = useMe()
  const partnerId = me.scope === 'system' ? organization?.partnerId : undefined
  const back = orgId ? (
    <TextLink to="/organizations/$orgId" params={{ orgId }} search={{ tab: 'people' }} size="sm">
      People of {organization?.name ?? 'the organization'}
    </TextLink>
  ) : (
    <TextLink to="/settings/people" size="sm">
      People
    </TextLink>
  )
  return (
    <Person
      key={personId}
      id={personId}
      owner={{ orgId }}
      partnerName={me.partnerName ?? ''}
      partnerId={partnerId}
      back={back}
    />
  )
}

/** For platform administrators. */
export function PartnerPersonPage() {
  const { partnerId, personId } = useParams({ from: '/app/companies/$partnerId/people/$personId' })
  const partner = useQuery(partnerQuery(partnerId)).data
  const back = (
    <TextLink to="/companies/$partnerId" params={{ partnerId }} size="sm">
      {partner?.name ?? 'The company'}
    </TextLink>
  )
  const owner = { partnerId }
  return (
    <Person
      key={personId}
      id={personId}
      owner={owner}
      partnerName={partner?.name ?? ''}
      partnerId={partnerId}
      back={back}
    />
  )
}

interface Props {
  id: string
  owner: PeopleOwner
  partnerName: string
  /** For platform administrators: the partner of the roles; undefined while loading. */
  partnerId: string | undefined
  back: ReactNode
}

function Person({ id, owner, ...rest }: Props) {
  const people = useQuery(peopleQuery(owner))
  useLivePeople()
  const { error } = people
  if (error instanceof ApiError && error.status === 404) return <NotFound />
  return (
    <Loaded of={people}>
      {(all) => {
        const [first, ...others] = all.filter((person) => person.id === id)
        if (!first) return <NotFound />
        return <Details memberships={[first, ...others]} owner={owner} {...rest} />
      }}
    </Loaded>
  )
}

interface DetailsProps extends Omit<Props, 'id'> {
  /** One per membership. */
  memberships: [UserRow, ...UserRow[]]
}

function Details({ memberships, owner, partnerName, partnerId, back }: DetailsProps) {
  const [person] = memberships
  const isSelf = person.id === useMe().id
  useRememberOpened({ kind: 'person', id: person.id, name: person.name, partnerId })
  return (
    <>
      <PageHeader
        title={person.name}
        before={back}
        beside={
          <Group gap="xs">
            <UserAvatar person={person} size={38} />
            <AccountBadges person={person} isSelf={isSelf} />
          </Group>
        }
        about={person.email}
        actions={<HistoryButton about={{ q: person.email }} />}
      />
      <SimpleGrid cols={{ base: 1, md: 2 }} style={{ alignItems: 'start' }}>
        <Stack miw={0}>
          {memberships.map((membership) => (
            <MembershipPanel
              key={membership.orgId ?? 'company'}
              member={{ person: membership, owner }}
              partnerName={partnerName}
              partnerId={partnerId}
              isSelf={isSelf}
              isOnly={memberships.length === 1}
            />
          ))}
        </Stack>
        <AccountPanel member={{ person, owner }} isSelf={isSelf} />
      </SimpleGrid>
    </>
  )
}
