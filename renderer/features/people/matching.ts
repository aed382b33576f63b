import type { UserRow } from '../../../shared/api/people.ts'

/** Those whose name, address, role or organization holds every word of the search. */
export function matching(people: readonly UserRow[], search: string | undefined): UserRow[] {
  const words = (search ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  return people.filter(({ name, email, roleName, orgName = '' }) => {
    const text = `${name} ${email} ${roleName} ${orgName}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
