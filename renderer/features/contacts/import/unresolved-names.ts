import type { NameToResolve, PreparedRow, ResolvedNames, TenantField } from './column-mapping.ts'
import type { RowVerdict } from './row-outcomes.ts'

/** A name in the file that matches no organization or site, or several, or that the user has resolved. */
export interface UnresolvedName extends NameToResolve {
  place: TenantField
  /** Number of rows with this name. */
  amount: number
  /** The organization of the site. */
  organizationId: string | null
  organizationName: string | null
}

const places = ['organization', 'site'] as const

/** In the order of the file. */
export function unresolvedNames(
  rows: readonly PreparedRow[],
  verdicts: ReadonlyMap<number, RowVerdict>,
  resolved: ResolvedNames,
): UnresolvedName[] {
  const amounts = new Map<string, number>()
  const found = new Map<string, UnresolvedName>()
  for (const { index, names } of rows) {
    const verdict = verdicts.get(index)
    for (const place of places) {
      const name = names[place]
      if (!name) continue
      amounts.set(name.key, (amounts.get(name.key) ?? 0) + 1)
      const isOpen = verdict?.field === place || resolved.has(name.key)
      const organization = verdict?.organizationId && place === 'site' ? verdict : null
      if (isOpen && !found.get(name.key)?.organizationId)
        found.set(name.key, {
          ...name,
          place,
          amount: 0,
          organizationId: organization?.organizationId ?? null,
          organizationName: organization?.organizationName ?? null,
        })
    }
  }
  return [...found.values()].map((name) => ({ ...name, amount: amounts.get(name.key) ?? 0 }))
}
