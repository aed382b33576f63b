import { keepPreviousData, useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { listOrganizations } from '../../../shared/api/organizations.ts'
import { api } from '../../lib/api.ts'
import { organizationKeys, organizationQuery } from '../organizations/data.ts'
import { useRecentOrganizations } from './recent.ts'

const pageSize = 100

export interface Choice {
  /** Undefined for all of them. */
  id: string | undefined
  name: string
  isRecent?: boolean
}

/** What can be looked at: everything, what was looked at lately, then the rest as far as it was scrolled to. */
export function useChoices(search: string) {
  const list = useInfiniteQuery({
    queryKey: [...organizationKeys.all, 'choices', search],
    queryFn: ({ pageParam, signal }) =>
      api.call(listOrganizations, { query: { search, page: String(pageParam), limit: String(pageSize) } }, signal),
    initialPageParam: 1,
    getNextPageParam: ({ pagination: { page, limit, total } }) => (page * limit < total ? page + 1 : undefined),
    placeholderData: keepPreviousData,
  })
  const { recent } = useRecentOrganizations()
  const recentOnes = useQueries({ queries: recent.map((id) => organizationQuery(id)) })
  const found: Choice[] = list.data?.pages.flatMap(({ data }) => data.map(({ id, name }) => ({ id, name }))) ?? []
  return { ...list, choices: search ? found : withRecent(found, recentOnes) }
}

function withRecent(found: Choice[], recentOnes: { data?: { id: string; name: string } | undefined }[]): Choice[] {
  const known = recentOnes.flatMap(({ data }) => (data ? [{ id: data.id, name: data.name, isRecent: true }] : []))
  const ids = new Set<string | undefined>(known.map(({ id }) => id))
  return [{ id: undefined, name: 'All organizations' }, ...known, ...found.filter(({ id }) => !ids.has(id))]
}
