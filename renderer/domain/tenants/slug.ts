import { slugFrom } from '../../../shared/names.ts'

const maxLength = 100

/** The slug derived from a name, used until the user types one. */
export const slugOf = (name: string): string => slugFrom(name, maxLength)

/** The first of `slug`, `slug-2`, `slug-3`… that is not taken, ignoring case; at most 100 characters. */
export function freeSlug(slug: string, taken: readonly string[]): string {
  const isTaken = new Set(taken.map((one) => one.toLowerCase()))
  let free = slug
  for (let n = 2; free && isTaken.has(free); n++) free = `${slug.slice(0, 99 - String(n).length)}-${n}`
  return free
}

interface Named {
  name: string
  slug: string
}

/** Derives an empty slug from the name and avoids those in `taken`. */
export const withSlug = <Values extends Named>(values: Values, taken: readonly string[] = []): Values => ({
  ...values,
  slug: values.slug.trim() || freeSlug(slugOf(values.name), taken),
})

/** Validation rules for name and slug. Stored values are always valid. */
export const namingRules = (stored?: Named) => ({
  name: (name: string) => {
    if (!name.trim()) return 'Enter a name'
    return /[\p{L}\p{N}]/u.test(name) || name === stored?.name ? null : 'Enter a name with at least one letter or digit'
  },
  slug: (_: string, values: Named) => {
    const { slug } = withSlug(values)
    if (slug === stored?.slug) return null
    if (!slug) return 'Enter a short name; none can be derived from this name'
    if (/^[a-z0-9][a-z0-9-]*$/.test(slug)) return null
    const suggestion = slugOf(slug)
    return `Use only a to z, 0 to 9 and hyphens${suggestion && `, for example ${suggestion}`}`
  },
})
