import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Whose } from '../../data/people.ts'
import { usePlaceName } from '../../domain/memberships/use-current-tenant-name.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { PeopleList } from './people-list.tsx'

const own: Whose = {}

export function PeoplePage() {
  const place = usePlaceName()
  const search = useSearch({ from: '/app/settings/people' })
  const navigate = useNavigate({ from: '/settings/people' })
  return (
    <>
      <PageHeader title="People" about="Who works here, what they see, and how their accounts are protected." />
      <PeopleList
        whose={own}
        companyName={place}
        search={search}
        onSearch={(change) => navigate({ search: (old) => ({ ...old, ...change }), replace: true })}
      />
    </>
  )
}
