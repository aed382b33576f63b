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
  | { is: 'node'; treeNode: TreeNode; needsDistinction: boolean }
  | { is: 'more'; path: string; left: number }
  | { is: 'none'; path: string }
  | { is: 'loading' }
  | { is: 'archived' }
  | { is: 'failed'; retry: () => void }

export const rowOfNode = (node: TreeNodeData) => node.nodeProps as TreeRow

interface TreeState {
  root: string
  /** Added at the top while it is selected and not among the loaded rows. */
  openOrgId: string | undefined
  open: string[]
  /** Number of loaded pages by path; one if absent. */
  pages: Record<string, number>
}

/** The visible rows of the tree. Expanded nodes are loaded page by page, collapsed ones not at all. */
export function useTreeRows({ root, openOrgId, open, pages }: TreeState): TreeNodeData[] {
  const withDevices = can(useMe(), 'devices:read')
  const pinned = usePinnedNode(root === 'all' ? openOrgId : undefined)
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
    combine: toResults,
  })
  return useMemo(() => {
    const below = (path: string): TreeNodeData[] => {
      if (path === shut) return endRow(path, { is: 'archived' })
      const read = wanted.flatMap(({ path: of, page }, index) => {
        const result = results[index]
        return of === path && result ? [{ ...result, page }] : []
      })
      const nodes = read.flatMap(({ data }) => data?.nodes ?? [])
      const isMissing = path === root && pinned && !nodes.some((treeNode) => treeNode.path === pinned.path)
      const all = [...(isMissing ? [pinned] : []), ...nodes]
      const namesakes = idsWithSharedName(all.filter(({ distinction }) => distinction !== undefined))
      return all
        .map((treeNode) => node(treeNode, namesakes.has(treeNode.id)))
        .concat(endRowOf(path, read, nodes.length))
    }
    const node = (treeNode: TreeNode, needsDistinction: boolean): TreeNodeData => ({
      value: treeNode.path,
      label: treeNode.name,
      hasChildren: treeNode.kind === 'org' || (treeNode.kind !== 'device' && withDevices),
      children: open.includes(treeNode.path) ? below(treeNode.path) : undefined,
      nodeProps: { is: 'node', treeNode, needsDistinction } satisfies TreeRow,
    })
    return below(root)
  }, [root, pinned, shut, open, wanted, results, withDevices])
}

interface ReadPage {
  data: TreeNodePage | undefined
  isError: boolean
  refetch: () => unknown
}

/** Page number of the groups, before the first page of other children. */
const groups = 0

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

const toResults = (results: QueryObserverResult<TreeNodePage>[]): ReadPage[] =>
  results.map(({ data, isError, refetch }) => ({ data, isError, refetch }))

function endRowOf(path: string, read: (ReadPage & { page: number })[], count: number): TreeNodeData[] {
  const paged = read.findLast(({ page, data }) => page !== groups && data)?.data?.total ?? 0
  const total = paged + (read.find(({ page }) => page === groups)?.data?.total ?? 0)
  const failed = read.find(({ data, isError }) => isError && !data)
  if (failed) return endRow(path, { is: 'failed', retry: () => void failed.refetch() })
  if (read.some(({ data }) => !data)) return endRow(path, { is: 'loading' })
  if (total > count) return endRow(path, { is: 'more', path, left: total - count })
  return count === 0 ? endRow(path, { is: 'none', path }) : []
}

const endRow = (path: string, row: TreeRow): TreeNodeData[] => [{ value: `end:${path}`, label: '', nodeProps: row }]

/** The selected organization is in the tree even if no loaded list contains it. */
function usePinnedNode(orgId: string | undefined): (TreeNode & { isArchived: boolean }) | undefined {
  const { data, isError } = useQuery({ ...organizationQuery(orgId ?? ''), enabled: orgId !== undefined })
  const { name = '…', slug } = data ?? {}
  const isArchived = data?.status === 'archived'
  return useMemo(
    () => (orgId === undefined || isError ? undefined : { ...organizationNode({ id: orgId, name, slug }), isArchived }),
    [orgId, isError, name, slug, isArchived],
  )
}
