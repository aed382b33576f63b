import { expect, test } from 'vitest'
import { hiddenFirst, withColumn, withoutHidden } from './column-choice.ts'

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

test('some columns are hidden until the user chooses otherwise', () => {
  expect(hiddenFirst([{ id: 'name' }, { id: 'model', isHiddenFirst: true }])).toEqual(['model'])
})
