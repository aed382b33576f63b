import { Alert, Group, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Partner } from '../../../shared/api/partners.ts'
import { type PeopleOwner, peopleQuery } from '../../data/people.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { InviteButton } from '../people/invite-button.tsx'
import { PeopleList } from '../people/people-list.tsx'

interface Props {
  partner: Partner
}

/** Everybody who can sign in to the partner or one of its organizations; undefined while loading. */
function usePeopleOf({ id }: Partner) {
  const owner = useMemo((): PeopleOwner => ({ partnerId: id }), [id])
  const isAllowed = can(useMe(), 'users:read')
  return { owner, people: useQuery({ ...peopleQuery(owner), enabled: isAllowed }).data }
}

/** A partner created by a platform administrator begins without people. */
export function NoPeopleNotice({ partner }: Props) {
  const { owner, people } = usePeopleOf(partner)
  if (people?.length !== 0) return null
  return (
    <Alert color="yellow" variant="light" p="sm" mb="md">
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 300px">
          Nobody belongs to this company yet, so nobody can sign in.
        </Text>
        <InviteButton owner={owner} partnerName={partner.name} label="Invite first administrator" />
      </Group>
    </Alert>
  )
}

export function PartnerPeople({ partner }: Props) {
  const { owner, people } = usePeopleOf(partner)
  const search = useSearch({ from: '/app/companies/$partnerId' })
  const navigate = useNavigate({ from: '/companies/$partnerId' })
  if (!people?.length) return null
  return (
    <section aria-label="People of the company">
      <Title order={2} size="h4" mt="xl" mb="md">
        People
      </Title>
      <PeopleList
        owner={owner}
        partnerName={partner.name}
        search={search}
        onSearch={(change) => navigate({ search: (old) => ({ ...old, ...change }), replace: true })}
      />
    </section>
  )
}
