import { expect, test } from 'vitest'
import { changeOf } from './updates.ts'

test('an update event has old and new values of plain fields, and only the names of other changed fields', () => {
  const before = {
    name: 'Old',
    tags: ['a'],
    note: null,
    settings: {},
    contact: null,
    members: [{}],
    text: '',
    siteId: 1,
    siteName: 'A',
    orgIds: [1],
    orgNames: ['O'],
  }
  const after = {
    ...before,
    name: 'New',
    tags: [],
    note: 'x',
    contact: { name: 'C' },
    text: 'x'.repeat(5000),
    siteName: 'B',
  }
  const fields = ['name', 'tags', 'note', 'settings', 'contact', 'members', 'text', 'siteId', 'orgIds', 'unknown']
  expect(changeOf(fields, before, after)).toEqual({
    changedFields: fields,
    before: { name: 'Old', tags: ['a'], note: null, siteId: 1, siteName: 'A', orgIds: [1], orgNames: ['O'] },
    after: { name: 'New', tags: [], note: 'x', siteId: 1, siteName: 'B', orgIds: [1], orgNames: ['O'] },
  })
  expect(changeOf(['settings'], before, after)).toEqual({ changedFields: ['settings'] })
})
