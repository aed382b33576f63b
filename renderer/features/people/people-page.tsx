import { useNavigate, useSearch } from '@tanstack/react-router'
import type { PeopleOwner } from '../../data/people.ts'
import { useCurrentTenantName } from '../../domain/memberships/use-current-tenant-name.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { PeopleList } from './people-list.tsx'

const own: PeopleOwner = {}

export function PeoplePage() {
  const place = useCurrentTenantName()
  const search = useSearch({ from: '/app/settings/people' })
  const navigate = useNavigate({ from: '/settings/people' })
  return (
    <>
      <PageHeader title="People" about="People in your company, their access and how their accounts are protected." />
      <PeopleList
        owner={own}
        partnerName={place}
        search={search}
        onSearch={(change) => navigate({ search: (old) => ({ ...old, ...change }), replace: true })}
      />
    </>
  )
}
