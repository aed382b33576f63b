import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { type OrganizationRow, organizationOptionsQuery, organizationQuery } from '../../data/organizations.ts'
import { useRecentOrganizations } from '../../domain/organizations/recent-organizations.ts'
import { distinguishingText, idsWithSharedName } from '../../domain/organizations/same-names.ts'

export interface OrganizationOption {
  /** Undefined stands for all organizations. */
  id: string | undefined
  name: string
  isRecent?: boolean
  /** Distinguishes it from others of the same name. */
  identity?: string | undefined
}

/** Options of the dialog: all, the recent ones, then the rest as far as it was scrolled to. */
export function useOrganizationOptions(search: string) {
  const list = useInfiniteQuery(organizationOptionsQuery(search))
  const { recent } = useRecentOrganizations()
  const recentOnes = useQueries({ queries: recent.map((id) => organizationQuery(id)) })
  const found = list.data?.pages.flatMap(({ data }) => data) ?? []
  const known = search ? [] : recentOnes.flatMap(({ data }) => data ?? [])
  return { ...list, options: toOptions(known, found, !search) }
}

type Named = Pick<OrganizationRow, 'id' | 'name' | 'slug'> & { deviceCount?: number }

function toOptions(recent: Named[], found: Named[], withAll: boolean): OrganizationOption[] {
  const byId = new Map([...recent, ...found].map((one) => [one.id, one]))
  const recentIds = new Set(recent.map(({ id }) => id))
  const namesakes = idsWithSharedName([...byId.values()])
  const options = [...byId.values()].map((one) => ({
    id: one.id,
    name: one.name,
    isRecent: recentIds.has(one.id),
    identity: namesakes.has(one.id) ? distinguishingText(one) : undefined,
  }))
  return withAll ? [{ id: undefined, name: 'All organizations' }, ...options] : options
}
