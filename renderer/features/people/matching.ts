import type { UserRow } from '../../../shared/api/people.ts'

/** Those whose name, address or role holds every word of the search. */
export function matching(people: readonly UserRow[], search: string | undefined): UserRow[] {
  const words = (search ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  return people.filter(({ name, email, roleName }) => {
    const text = `${name} ${email} ${roleName}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
