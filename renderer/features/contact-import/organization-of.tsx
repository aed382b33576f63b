import { useSlugAmongAll } from '../organizations/use-slug-among.ts'
import type { Verdict } from './outcomes.ts'
import { Sub } from './row-list.tsx'

/** Where a row goes; the short name tells which one of several of that name. */
export function OrganizationOf({ verdict: { organizationId: id, organizationName: name } }: { verdict: Verdict }) {
  const slug = useSlugAmongAll(id !== null && name !== null ? { id, name } : undefined)
  return <Sub>{slug ? `${name} (${slug})` : name}</Sub>
}
