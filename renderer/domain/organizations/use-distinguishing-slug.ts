import { useQueries, useQuery } from '@tanstack/react-query'
import { nameKey } from '../../../shared/names.ts'
import { organizationQuery, organizationsQuery } from '../../data/organizations.ts'
import { useMe } from '../../lib/session.ts'
import { idsWithSharedName } from './same-names.ts'

interface Named {
  id: string
  name: string
}

/** The slug of an organization that shares its name with another one; undefined if the name is unique. */
export function useDistinguishingSlug(one: Named | undefined): string | undefined {
  const hasOthers = useMe().scope !== 'organization'
  const { data } = useQuery({
    ...organizationsQuery({ search: one?.name.trim(), page: 1, limit: 100 }),
    enabled: hasOthers && one !== undefined,
  })
  if (!one) return undefined
  const alike = data?.data.filter(({ name }) => nameKey(name) === nameKey(one.name)) ?? []
  return alike.length > 1 ? alike.find(({ id }) => id === one.id)?.slug : undefined
}

/** The slugs of those of the given organizations that share their name, by id. */
export function useDistinguishingSlugs(organizations: readonly Named[]): ReadonlyMap<string, string> {
  const unlike = [...new Map(organizations.map((one) => [one.id, one])).values()]
  return useQueries({
    queries: [...idsWithSharedName(unlike)].map((id) => organizationQuery(id)),
    combine: slugsIn,
  })
}

const slugsIn = (results: readonly { data: { id: string; slug: string } | undefined }[]): ReadonlyMap<string, string> =>
  new Map(results.flatMap(({ data }) => (data ? [[data.id, data.slug] as const] : [])))
