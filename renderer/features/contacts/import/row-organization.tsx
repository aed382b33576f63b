import { useSlugAmongAll } from '../../../domain/organizations/use-distinguishing-slug.ts'
import { Sub } from './row-list.tsx'
import type { Verdict } from './row-outcomes.ts'

/** Where a row goes; the short name tells which one of several of that name. */
export function OrganizationOf({ verdict: { organizationId: id, organizationName: name } }: { verdict: Verdict }) {
  const slug = useSlugAmongAll(id !== null && name !== null ? { id, name } : undefined)
  return <Sub>{slug ? `${name} (${slug})` : name}</Sub>
}
