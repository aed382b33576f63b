import { expect, test } from 'vitest'
import { groupsInTreeOrder, subtreeIds } from './group-tree.ts'

const group = (id: string, parentId: string | null = null) => ({ id, name: id, parentId })
const groups = [group('b'), group('a2', 'a'), group('a1', 'a'), group('a'), group('a1x', 'a1'), group('lost', 'hidden')]

test('groups are listed below their parents by name, and at the top when their parent is not visible', () => {
  expect(groupsInTreeOrder(groups).map(({ group: { id }, depth }) => `${depth} ${id}`)).toEqual([
    '0 a',
    '1 a1',
    '2 a1x',
    '1 a2',
    '0 b',
    '0 lost',
  ])
})

test('a branch is a group and all below it', () => {
  expect([...subtreeIds(groups, 'a')].toSorted()).toEqual(['a', 'a1', 'a1x', 'a2'])
  expect([...subtreeIds(groups, 'b')]).toEqual(['b'])
})
