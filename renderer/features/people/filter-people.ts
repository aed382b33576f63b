import type { UserRow, UserStatus } from '../../../shared/api/people.ts'
import { wordSearch } from '../../lib/word-search.ts'

export interface PeopleFilters {
  search?: string | undefined
  /** An organization, or `company` for the partner's own people. */
  within?: string | undefined
  /** Id of a role. */
  as?: string | undefined
  account?: UserStatus | undefined
}

/** The people who match every word of the search and all filters. */
export function filterPeople(people: readonly UserRow[], { search, within, as, account }: PeopleFilters): UserRow[] {
  const fits = wordSearch(search)
  return people.filter((person) => {
    if (account && person.status !== account) return false
    if (as && person.roleId !== as) return false
    if (within && (person.orgId ?? 'company') !== within) return false
    const { name, email, roleName, orgName = '' } = person
    return fits(`${name} ${email} ${roleName} ${orgName}`)
  })
}

export interface Option {
  value: string
  label: string
}

/** The options of the filters, each once, by name. */
export function filterOptions(people: readonly UserRow[]): { tenants: Option[]; roles: Option[] } {
  const tenants = new Map(people.flatMap(({ orgId, orgName = '' }) => (orgId ? [[orgId, orgName]] : [])))
  const roles = new Map(people.map(({ roleId, roleName }) => [roleId, roleName]))
  return { tenants: byName(tenants), roles: byName(roles) }
}

const byName = (names: ReadonlyMap<string, string>): Option[] =>
  [...names].map(([value, label]) => ({ value, label })).toSorted((a, b) => a.label.localeCompare(b.label))
