import { expect, test } from 'vitest'
import { atMost } from './at-most.ts'

function controlled() {
  const started: number[] = []
  const finish = new Map<number, (fails?: boolean) => void>()
  const work = (n: number) => () =>
    new Promise<number>((resolve, reject) => {
      started.push(n)
      finish.set(n, (fails) => (fails ? reject(new Error(`no ${n}`)) : resolve(n)))
    })
  return { started, finish, work }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('no more than the limit is under way, and those who wait come in the order they asked', async () => {
  const { started, finish, work } = controlled()
  const run = atMost(2)
  const all = Promise.all([1, 2, 3, 4].map((n) => run(work(n))))
  await settled()
  expect(started).toEqual([1, 2])
  finish.get(2)?.()
  await settled()
  expect(started).toEqual([1, 2, 3])
  finish.get(1)?.()
  finish.get(3)?.()
  await settled()
  finish.get(4)?.()
  expect(await all).toEqual([1, 2, 3, 4])
})

test('work that fails gives its place to the next', async () => {
  const { started, finish, work } = controlled()
  const run = atMost(1)
  const first = run(work(1))
  const second = run(work(2))
  finish.get(1)?.(true)
  await expect(first).rejects.toThrow('no 1')
  await settled()
  expect(started).toEqual([1, 2])
  finish.get(2)?.()
  expect(await second).toBe(2)
  const third = run(work(3))
  finish.get(3)?.()
  expect(await third).toBe(3)
})
