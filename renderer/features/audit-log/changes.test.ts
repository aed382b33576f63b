import { expect, test } from 'vitest'
import { changesOf, linesOf, otherDetails } from './changes.ts'

test('changed fields are listed with their old and new values', () => {
  expect(
    changesOf({
      changedFields: ['name', 'permissions'],
      before: { name: 'Night', permissions: ['devices:read'], forceMfa: true },
      after: { name: 'Night shift', permissions: ['devices:read', 'devices:write'], forceMfa: true, description: null },
    }),
  ).toEqual([
    { field: 'name', values: { before: 'Night', after: 'Night shift' } },
    { field: 'permissions', values: { before: ['devices:read'], after: ['devices:read', 'devices:write'] } },
    { field: 'description', values: { before: undefined, after: null } },
  ])
})

test('a previous value beside the new one is a change, and equal values are none', () => {
  expect(
    changesOf({ previousRoleName: 'Viewer', roleName: 'Admin', previousStatus: 'active', status: 'active' }),
  ).toEqual([{ field: 'roleName', values: { before: 'Viewer', after: 'Admin' } }])
})

test('a changed reference is shown by its name, and by its id only where the name is the same', () => {
  const before = { siteId: 'a', siteName: 'Berlin', orgIds: ['a'], orgNames: ['Acme'], parentId: 'a' }
  const after = { siteId: 'b', siteName: 'Berlin', orgIds: ['b'], orgNames: ['Umbrella'], parentId: 'b' }
  const fieldsOf = (siteName: string) =>
    changesOf({ changedFields: ['siteId', 'orgIds', 'parentId'], before, after: { ...after, siteName } })
      .map(({ field }) => field)
      .toSorted()
  expect(fieldsOf('Bonn')).toEqual(['orgNames', 'parentId', 'siteName'])
  expect(fieldsOf('Berlin')).toEqual(['orgNames', 'parentId', 'siteId'])
})

test('changed fields without values are listed by name', () => {
  expect(changesOf({ changedFields: ['slug'] })).toEqual([{ field: 'slug', values: null }])
  expect(changesOf({ reason: 'because', previousOwner: 'Ada' })).toEqual([])
})

test('the other details of an event leave out what is shown elsewhere', () => {
  expect(
    otherDetails({
      changedFields: ['slug'],
      before: {},
      after: {},
      previousRoleName: 'Viewer',
      roleName: 'Admin',
      roleId: '01a1',
      orgIds: null,
      reason: 'invalid_password',
      durationHours: 1,
      note: null,
    }),
  ).toEqual([
    ['reason', ['invalid_password']],
    ['durationHours', ['1']],
  ])
})

test('values are written as people read them', () => {
  expect([null, '', undefined].flatMap(linesOf)).toEqual([])
  expect(linesOf([true, 3, ['a', 'b'], { c: 1 }])).toEqual(['Yes', '3', 'a', 'b', '{"c":1}'])
})
