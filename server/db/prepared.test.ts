import { expect, test } from 'vitest'
import { freshDatabase } from '../../test/helpers/test-app.ts'
import { prepared } from './prepared.ts'
import { q } from './query.ts'

test('a prepared query runs with the values of each call, wherever and however often they occur', () => {
  const db = freshDatabase()
  const insert = prepared((name, value) => q.insertInto('settings').values({ name, value }))
  const find = prepared((value, name) =>
    q
      .selectFrom('settings')
      .select(['name', 'value'])
      .where('value', '=', value)
      .where((where) => where.or([where('name', '=', name), where('name', '=', 'c'), where('value', '<', value)]))
      .limit(5),
  )
  for (const name of ['a', 'b', 'c']) expect(db.run(insert(name, '1'))).toBe(1)
  expect(db.all(find('1', 'b')).map(({ name }) => name)).toEqual(['b', 'c'])
  expect(db.all(find('1', 'a')).map(({ name }) => name)).toEqual(['a', 'c'])
  expect(db.all(find('2', 'a'))).toEqual([])
  expect(() => db.run(insert('d', null))).toThrow('NOT NULL')
  db.close()
})
