import { expect, test } from 'vitest'
import { allPermissions, type Permission } from '../../../shared/permissions.ts'
import { matrixOf } from './permission-grid.ts'

const everything = () => true
const shown = (search: string, isWanted: (permission: Permission) => boolean = everything) =>
  matrixOf(search, isWanted).areas.flatMap(({ rows }) =>
    rows.flatMap(({ cells, others }) => [...Object.values(cells), ...others].map(({ permission }) => permission)),
  )

test('every permission there is has exactly one place', () => {
  expect(shown('').toSorted()).toEqual(allPermissions.toSorted())
})

test('a search leaves the matching permissions and the columns they are in', () => {
  expect(shown('DEVICES run')).toEqual(['devices:execute'])
  expect(matrixOf('devices run', everything)).toMatchObject({ columns: ['execute'], hasOthers: false })
  expect(shown('scripts:read')).toEqual(['scripts:read'])
  expect(shown('network map')).toEqual(['topology:read', 'topology:write'])
  expect(matrixOf('remote', everything)).toMatchObject({ columns: [], hasOthers: true })
  expect(matrixOf('no such thing', everything).areas).toEqual([])
  // In no name, but in a description.
  expect(shown('restart')).toEqual(['devices:execute'])
})

test('only wanted permissions are shown and counted, also of a resource that has others', () => {
  const isWanted = (permission: Permission) => permission === 'scripts:execute' || permission === 'sso:admin'
  expect(shown('', isWanted)).toEqual(['scripts:execute', 'sso:admin'])
  expect(matrixOf('', isWanted)).toMatchObject({ count: 2, columns: ['execute'], hasOthers: true })
  expect(matrixOf('scripts', isWanted)).toMatchObject({ count: 1, hasOthers: false })
})
