import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMe } from '../../lib/session.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import type { Whose } from './data.ts'
import { PeopleList } from './people-list.tsx'

const own: Whose = {}

export function PeoplePage() {
  const me = useMe()
  const search = useSearch({ from: '/app/settings/people' })
  const navigate = useNavigate({ from: '/settings/people' })
  return (
    <>
      <PageHeader title="People" about="Who works here, what they see, and how their accounts are protected." />
      <PeopleList
        whose={own}
        companyName={me.partnerName ?? ''}
        search={search}
        onSearch={(change) => navigate({ search: (old) => ({ ...old, ...change }), replace: true })}
      />
    </>
  )
}
