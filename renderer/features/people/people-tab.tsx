import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Organization } from '../../../shared/api/organizations.ts'
import { isFrozen } from '../../domain/organizations/frozen.ts'
import { PeopleList } from './people-list.tsx'

/** The people of one organization; the partner's own people are on another page. */
export function PeopleTab({ organization }: { organization: Organization }) {
  const search = useSearch({ from: '/app/organizations/$orgId' })
  const navigate = useNavigate({ from: '/organizations/$orgId' })
  const owner = useMemo(() => ({ orgId: organization.id }), [organization.id])
  return (
    <PeopleList
      owner={owner}
      partnerName={organization.name}
      search={search}
      isClosed={isFrozen(organization)}
      onSearch={(change) => navigate({ search: (old) => ({ ...old, ...change }), replace: true })}
    />
  )
}
