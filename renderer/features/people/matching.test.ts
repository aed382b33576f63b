import { expect, test } from 'vitest'
import type { UserRow } from '../../../shared/api/people.ts'
import { matching } from './matching.ts'

const people = [
  { name: 'Ada Admin', email: 'ada@acme.test', roleName: 'Partner Admin' },
  { name: 'Tom Technician', email: 'tom@acme.test', roleName: 'Technician', orgName: 'Contoso' },
] as UserRow[]

test.each([
  [undefined, 2],
  ['  ', 2],
  ['ADA', 1],
  ['acme', 2],
  ['technician tom', 1],
  ['contoso', 1],
  ['ada technician', 0],
])('"%s" finds %i', (search, amount) => {
  expect(matching(people, search)).toHaveLength(amount)
})
