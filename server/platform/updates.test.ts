import { expect, test } from 'vitest'
import { changeOf } from './updates.ts'

test('an event tells what plain fields were and became, and of others only that they changed', () => {
  const before = { name: 'Old', tags: ['a'], note: null, settings: {}, contact: null, key: 1, members: [{}], text: '' }
  const after = { ...before, name: 'New', tags: [], note: 'x', contact: { name: 'C' }, text: 'x'.repeat(5000) }
  const fields = ['name', 'tags', 'note', 'settings', 'contact', 'members', 'text', 'unknown']
  expect(changeOf(fields, before, after)).toEqual({
    changedFields: fields,
    before: { name: 'Old', tags: ['a'], note: null },
    after: { name: 'New', tags: [], note: 'x' },
  })
})
