import { expect, test } from 'vitest'
import { KeyedLimit } from './keyed-limit.ts'

function controlled() {
  const started: string[] = []
  const pending = new Map<string, PromiseWithResolvers<string>>()
  const work = (name: string) => () => {
    started.push(name)
    const promise = Promise.withResolvers<string>()
    pending.set(name, promise)
    return promise.promise
  }
  return {
    started,
    work,
    finish: (name: string) => pending.get(name)?.resolve(name),
    fail: (name: string) => pending.get(name)?.reject(new Error(`no ${name}`)),
  }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('work waits only for other work with the same key, in the order it came', async () => {
  const { started, work, finish } = controlled()
  const limit = new KeyedLimit(2)
  const all = Promise.all(['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => limit.run(name.charAt(0), work(name))))
  await settled()
  expect(started).toEqual(['a1', 'a2', 'b1'])
  finish('a2')
  await settled()
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3'])
  for (const name of ['a1', 'a3', 'b1']) finish(name)
  await settled()
  finish('a4')
  expect(await all).toEqual(['a1', 'a2', 'a3', 'a4', 'b1'])
})

test('a key without work left is forgotten, and failed work gives its place to the next', async () => {
  const { started, work, finish, fail } = controlled()
  const limit = new KeyedLimit(1)
  const first = limit.run('a', work('a1'))
  const second = limit.run('a', work('a2'))
  expect(limit.size).toBe(1)
  await settled()
  fail('a1')
  await expect(first).rejects.toThrow('no a1')
  await settled()
  expect([started, limit.size]).toEqual([['a1', 'a2'], 1])
  finish('a2')
  expect(await second).toBe('a2')
  expect(limit.size).toBe(0)
})
