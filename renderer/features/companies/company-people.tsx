import { Alert, Group, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Partner } from '../../../shared/api/partners.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { peopleQuery } from '../people/data.ts'
import { InviteButton } from '../people/invite-button.tsx'
import { PeopleList } from '../people/people-list.tsx'

/** Everybody who can sign in to the company, or to one of its organizations. */
export function CompanyPeople({ company: { id, name } }: { company: Partner }) {
  const isAllowed = can(useMe(), 'users:read')
  const whose = useMemo(() => ({ partnerId: id }), [id])
  const people = useQuery({ ...peopleQuery(whose), enabled: isAllowed }).data
  const search = useSearch({ from: '/app/companies/$companyId' })
  const navigate = useNavigate({ from: '/companies/$companyId' })
  if (!isAllowed) return null
  return (
    <section aria-label="People">
      <Title order={2} size="h4" mt="xl" mb="md">
        People
      </Title>
      {people?.length === 0 ? (
        <Alert color="yellow" variant="light" p="sm">
          <Group justify="space-between" gap="sm">
            <Text size="sm">
              Nobody belongs to this company yet, so nobody can sign in to it. Invite its first administrator.
            </Text>
            <InviteButton whose={whose} companyName={name} />
          </Group>
        </Alert>
      ) : (
        <PeopleList
          whose={whose}
          companyName={name}
          search={search}
          onSearch={(change) => navigate({ search: (old) => ({ ...old, ...change }), replace: true })}
        />
      )}
    </section>
  )
}
