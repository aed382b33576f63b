import type { TreeNodeData } from '@mantine/core'
import { type QueryObserverResult, useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { organizationQuery } from '../../data/organizations.ts'
import { idsWithSharedName } from '../../domain/organizations/same-names.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { childGroupsQuery, childrenQuery, organizationNode, type TreeNode, type TreeNodePage } from './tree-queries.ts'

/** A row of the tree: a node, or what stands at the end of its children. */
export type TreeRow =
  | { is: 'place'; place: TreeNode; isNamesake: boolean }
  | { is: 'more'; path: string; left: number }
  | { is: 'none'; path: string }
  | { is: 'loading' }
  | { is: 'shut' }
  | { is: 'failed'; retry: () => void }

export const rowOfNode = (node: TreeNodeData) => node.nodeProps as TreeRow

interface Shown {
  root: string
  /** Added at the top while it is selected and not among the loaded rows. */
  lookedAt: string | undefined
  open: string[]
  /** Number of loaded pages by path; one if absent. */
  pages: Record<string, number>
}

/** The visible rows of the tree. Expanded nodes are loaded page by page, collapsed ones not at all. */
export function useTreeRows({ root, lookedAt, open, pages }: Shown): TreeNodeData[] {
  const withDevices = can(useMe(), 'devices:read')
  const pinned = usePinned(root === 'all' ? lookedAt : undefined)
  const shut = pinned?.isArchived ? pinned.path : undefined
  const wanted = useMemo(
    () =>
      [root, ...open.filter((path) => path !== shut)].flatMap((path) => {
        const first = withDevices && path !== 'all' ? groups : 1
        return range(first, pages[path] ?? 1).map((page) => ({ path, page }))
      }),
    [root, open, shut, pages, withDevices],
  )
  const results = useQueries({
    queries: wanted.map(({ path, page }) => (page === groups ? childGroupsQuery(path) : childrenQuery(path, page))),
    combine: essence,
  })
  return useMemo(() => {
    const below = (path: string): TreeNodeData[] => {
      if (path === shut) return endWith(path, { is: 'shut' })
      const read = wanted.flatMap(({ path: of, page }, index) => {
        const result = results[index]
        return of === path && result ? [{ ...result, page }] : []
      })
      const places = read.flatMap(({ data }) => data?.places ?? [])
      const isMissing = path === root && pinned && !places.some((place) => place.path === pinned.path)
      const all = [...(isMissing ? [pinned] : []), ...places]
      const namesakes = idsWithSharedName(all.filter(({ mark }) => mark !== undefined))
      return all.map((place) => node(place, namesakes.has(place.id))).concat(endOf(path, read, places.length))
    }
    const node = (place: TreeNode, isNamesake: boolean): TreeNodeData => ({
      value: place.path,
      label: place.name,
      hasChildren: place.kind === 'org' || (place.kind !== 'device' && withDevices),
      children: open.includes(place.path) ? below(place.path) : undefined,
      nodeProps: { is: 'place', place, isNamesake } satisfies TreeRow,
    })
    return below(root)
  }, [root, pinned, shut, open, wanted, results, withDevices])
}

interface Read {
  data: TreeNodePage | undefined
  isError: boolean
  refetch: () => unknown
}

/** Page number of the groups, before the first page of other children. */
const groups = 0

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

const essence = (results: QueryObserverResult<TreeNodePage>[]): Read[] =>
  results.map(({ data, isError, refetch }) => ({ data, isError, refetch }))

function endOf(path: string, read: (Read & { page: number })[], count: number): TreeNodeData[] {
  const paged = read.findLast(({ page, data }) => page !== groups && data)?.data?.total ?? 0
  const total = paged + (read.find(({ page }) => page === groups)?.data?.total ?? 0)
  const failed = read.find(({ data, isError }) => isError && !data)
  if (failed) return endWith(path, { is: 'failed', retry: () => void failed.refetch() })
  if (read.some(({ data }) => !data)) return endWith(path, { is: 'loading' })
  if (total > count) return endWith(path, { is: 'more', path, left: total - count })
  return count === 0 ? endWith(path, { is: 'none', path }) : []
}

const endWith = (path: string, twig: TreeRow): TreeNodeData[] => [{ value: `end:${path}`, label: '', nodeProps: twig }]

/** The selected organization is in the tree even if no loaded list contains it. */
function usePinned(orgId: string | undefined): (TreeNode & { isArchived: boolean }) | undefined {
  const { data, isError } = useQuery({ ...organizationQuery(orgId ?? ''), enabled: orgId !== undefined })
  const { name = '…', slug } = data ?? {}
  const isArchived = data?.status === 'archived'
  return useMemo(
    () => (orgId === undefined || isError ? undefined : { ...organizationNode({ id: orgId, name, slug }), isArchived }),
    [orgId, isError, name, slug, isArchived],
  )
}
