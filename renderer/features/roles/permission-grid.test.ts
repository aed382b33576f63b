import { expect, test } from 'vitest'
import { allPermissions } from '../../../shared/permissions.ts'
import { matrixOf } from './permission-grid.ts'

const shown = (search: string) =>
  matrixOf(search).areas.flatMap(({ rows }) =>
    rows.flatMap(({ cells, others }) => [...Object.values(cells), ...others].map(({ permission }) => permission)),
  )

test('every permission there is has exactly one place', () => {
  expect(shown('').toSorted()).toEqual(allPermissions.toSorted())
})

test('a search leaves the matching permissions and the columns they are in', () => {
  expect(shown('DEVICES run')).toEqual(['devices:execute'])
  expect(matrixOf('devices run')).toMatchObject({ columns: ['execute'], hasOthers: false })
  expect(shown('scripts:read')).toEqual(['scripts:read'])
  expect(shown('network map')).toEqual(['topology:read', 'topology:write'])
  expect(matrixOf('remote')).toMatchObject({ columns: [], hasOthers: true })
  expect(matrixOf('no such thing').areas).toEqual([])
})
