import { expect, test } from 'vitest'
import { fullness, spaceUsed } from './usage-words.ts'

const gigabyte = 1024 ** 3
const usage = { usedBytes: 5 * gigabyte, quotaBytes: 10 * gigabyte, freeBytes: 100 * gigabyte }

test('how full it is depends on the quota and on the disk', () => {
  expect(fullness(usage)).toEqual({ percent: 50, tone: 'good', warning: null })
  expect(fullness({ ...usage, usedBytes: 9 * gigabyte })).toMatchObject({ percent: 90, tone: 'warning' })
  expect(fullness({ ...usage, usedBytes: 11 * gigabyte })).toMatchObject({ percent: 100, tone: 'bad' })
  expect(fullness({ ...usage, quotaBytes: 0, usedBytes: 0 })).toMatchObject({ percent: 100, tone: 'bad' })
  expect(fullness({ ...usage, quotaBytes: null })).toEqual({ percent: null, tone: 'good', warning: null })
  expect(fullness({ ...usage, quotaBytes: null, freeBytes: gigabyte })).toMatchObject({ tone: 'warning' })
  expect(fullness({ ...usage, freeBytes: 0 })).toMatchObject({ tone: 'bad', warning: expect.stringContaining('disk') })
})

test('what is used is said with the quota, where there is one', () => {
  expect(spaceUsed(usage)).toBe('5 GB of 10 GB used')
  expect(spaceUsed({ ...usage, quotaBytes: null })).toBe('5 GB used, no quota')
})
