import { expect, test } from 'vitest'
import { z } from 'zod'
import { randomUuid } from './random-uuid.ts'

test('a random id is a version 4 UUID, and another each time', () => {
  const ids = Array.from({ length: 50 }, randomUuid)
  expect(ids.filter((id) => z.uuidv4().safeParse(id).success)).toEqual(ids)
  expect(new Set(ids).size).toBe(50)
})
