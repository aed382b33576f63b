import { expect, test } from 'vitest'
import type { UserRow } from '../../../shared/api/people.ts'
import { filterOptions, filterPeople, type PeopleFilters } from './filter-people.ts'

const people = [
  { name: 'Ada Admin', email: 'ada@acme.test', roleId: 'pa', roleName: 'Partner Admin', status: 'active' },
  {
    name: 'Tom Technician',
    email: 'tom@acme.test',
    roleId: 'ot',
    roleName: 'Technician',
    status: 'invited',
    orgId: 'c',
    orgName: 'Contoso',
  },
] as UserRow[]

test.each<[PeopleFilters, number]>([
  [{}, 2],
  [{ search: '  ' }, 2],
  [{ search: 'ADA' }, 1],
  [{ search: 'acme' }, 2],
  [{ search: 'technician tom' }, 1],
  [{ search: 'contoso' }, 1],
  [{ search: 'ada technician' }, 0],
  [{ within: 'company' }, 1],
  [{ within: 'c' }, 1],
  [{ as: 'pa' }, 1],
  [{ account: 'disabled' }, 0],
  [{ account: 'invited', search: 'tom', within: 'c', as: 'ot' }, 1],
])('the filter %j finds %i people', (filters, amount) => {
  expect(filterPeople(people, filters)).toHaveLength(amount)
})

test('the filter offers the tenants and roles that occur in the list', () => {
  expect(filterOptions([...people, ...people])).toEqual({
    tenants: [{ value: 'c', label: 'Contoso' }],
    roles: [
      { value: 'pa', label: 'Partner Admin' },
      { value: 'ot', label: 'Technician' },
    ],
  })
})
