import { expect, test } from 'vitest'
import { readHidden, withColumn, withoutHidden } from './column-choice.ts'

const columns = [{ id: 'name', isFixed: true }, { id: 'system' }, { id: 'user' }]
const ids = (hidden: string[]) => withoutHidden(columns, hidden).map(({ id }) => id)

test('hides the chosen columns and keeps their order', () => {
  expect(ids([])).toEqual(['name', 'system', 'user'])
  expect(ids(['system'])).toEqual(['name', 'user'])
})

test('never hides a fixed column, and ignores columns it does not know', () => {
  expect(ids(['name', 'from-another-version'])).toEqual(['name', 'system', 'user'])
})

test('a column is hidden once and shown again', () => {
  const hidden = withColumn(withColumn(['gone'], 'user', false), 'user', false)
  expect(hidden).toEqual(['gone', 'user'])
  expect(withColumn(hidden, 'user', true)).toEqual(['gone'])
})

test.each([undefined, '', '{', 'null', '"user"', '{"user":true}', '[1,null]'])('%s hides no columns', (text) => {
  expect(readHidden(text)).toEqual([])
})

test('reads the stored columns', () => {
  expect(readHidden(JSON.stringify(['user']))).toEqual(['user'])
})
