import { expect, test } from 'vitest'
import { visitAt } from './last-visit.ts'

const at = (time: string) => Date.parse(`2026-11-23T${time}:00.000Z`)

test('a visit goes on until half an hour has passed without the console', () => {
  const first = visitAt(at('08:00'), null)
  expect(first).toEqual({ previousEnd: null, lastActive: '2026-11-23T08:00:00.000Z' })
  const later = visitAt(at('08:30'), first)
  expect(later).toEqual({ previousEnd: null, lastActive: '2026-11-23T08:30:00.000Z' })
  const next = visitAt(at('09:01'), later)
  expect(next).toEqual({ previousEnd: '2026-11-23T08:30:00.000Z', lastActive: '2026-11-23T09:01:00.000Z' })
  expect(visitAt(at('09:20'), next).previousEnd).toBe('2026-11-23T08:30:00.000Z')
})
