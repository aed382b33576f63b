import type { DeviceGroup } from '../../../shared/api/device-groups.ts'

type Node = Pick<DeviceGroup, 'id' | 'name' | 'parentId'>
export interface GroupInTree<Group> {
  group: Group
  /** 0 for a group without a visible parent. */
  depth: number
}

const byName = (one: Node, other: Node) => one.name.localeCompare(other.name)

/** Parents before their children, siblings by name. A group whose parent is not visible is at the top. */
export function groupsInTreeOrder<Group extends Node>(groups: readonly Group[]): GroupInTree<Group>[] {
  const ids = new Set(groups.map(({ id }) => id))
  const below = Map.groupBy(groups, ({ parentId }) => (parentId && ids.has(parentId) ? parentId : null))
  const branch = (parentId: string | null, depth: number): GroupInTree<Group>[] =>
    (below.get(parentId) ?? []).toSorted(byName).flatMap((group) => [{ group, depth }, ...branch(group.id, depth + 1)])
  return branch(null, 0)
}

/** The group and its descendants, into which it cannot be moved. */
export function subtreeIds(groups: readonly Node[], id: string): Set<string> {
  const ids = new Set([id])
  for (const { group } of groupsInTreeOrder(groups)) if (group.parentId && ids.has(group.parentId)) ids.add(group.id)
  return ids
}
