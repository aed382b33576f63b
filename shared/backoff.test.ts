import { expect, test } from 'vitest'
import { backoffMs, jittered } from './backoff.ts'

test('pauses double from the first up to the cap, after however many failures', () => {
  const pauses = [1, 2, 3, 7, 8, 2000].map((failures) => backoffMs(failures, { firstMs: 500, capMs: 30_000 }))
  expect(pauses).toEqual([500, 1000, 2000, 30_000, 30_000, 30_000])
})

test('jitter changes a pause by its share either way', () => {
  expect([0, 0.5, 1].map((random) => Math.round(jittered(1000, 0.3, () => random)))).toEqual([700, 1000, 1300])
})
