import { expect, test } from 'vitest'
import { changeOf } from './updates.ts'

test('an event tells what plain fields were and became, and of others only that they changed', () => {
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
  const fields = ['name', 'tags', 'note', 'settings', 'contact', 'members', 'text', 'siteId', 'unknown']
  expect(changeOf(fields, before, after)).toEqual({
    changedFields: fields,
    before: { name: 'Old', tags: ['a'], note: null, siteId: 1, siteName: 'A' },
    after: { name: 'New', tags: [], note: 'x', siteId: 1, siteName: 'B' },
  })
  expect(changeOf(['settings'], before, after)).toEqual({ changedFields: ['settings'] })
})
