import { expect, test } from 'vitest'
import { freshDatabase } from '../../test/helpers/test-app.ts'
import { TableCache } from './table-cache.ts'

function counted(maxEntries: number) {
  const db = freshDatabase()
  const cache = new TableCache<string>(db, ['partners', 'organizations'], maxEntries)
  const found: string[] = []
  const ask = (key: string) =>
    cache.get(key, () => {
      found.push(key)
      return key.toUpperCase()
    })
  return { db, cache, found, ask }
}

test('an answer is cached until a table it was read from is written', () => {
  const { db, ask, found } = counted(10)
  expect([ask('a'), ask('a'), ask('b')]).toEqual(['A', 'A', 'B'])
  expect(found).toEqual(['a', 'b'])
  db.statement('INSERT INTO rate_limits (bucket, key, hits, expires_at) VALUES (?, ?, ?, ?)').run('x', 'y', '[]', 0)
  ask('a')
  expect(found).toEqual(['a', 'b'])
  db.statement("INSERT INTO partners (id, name, slug, created_at, updated_at) VALUES ('p', 'P', 'p', '', '')").run()
  expect([ask('a'), ask('a')]).toEqual(['A', 'A'])
  expect(found).toEqual(['a', 'b', 'a'])
})

test('many new keys do not evict a key in use', () => {
  const { ask, found } = counted(100)
  ask('first')
  for (let at = 0; at < 1000; at++) {
    ask(`other ${at}`)
    ask('first')
  }
  expect(found.filter((key) => key === 'first')).toHaveLength(1)
  ask('other 0')
  expect(found.filter((key) => key === 'other 0')).toHaveLength(2)
})

test('neither a missing value nor a failure is cached', () => {
  const { cache } = counted(10)
  let row: string | undefined
  const find = () => row
  expect(cache.get('a', find)).toBeUndefined()
  row = 'there now'
  expect(cache.get('a', find)).toBe('there now')
  const fails = () => {
    throw new Error('the disk')
  }
  expect(() => cache.get('b', fails)).toThrow('the disk')
  expect(cache.get('b', () => 'later')).toBe('later')
})
