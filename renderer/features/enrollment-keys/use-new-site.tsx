import { type ReactNode, useState } from 'react'
import { NewSite } from '../../domain/sites/new-site.tsx'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'

/**
 * For a form in which a site is chosen: `newSite` stands in its place while one is added, and `add` begins that; null for
 * users who may not.
 */
export function useNewSite(
  org: { id: string; name: string } | undefined,
  onAdded: (siteId: string) => void,
): { newSite: ReactNode; add: (() => void) | null } {
  const mayAdd = can(useMe(), 'sites:write')
  const [isAdding, setAdding] = useState(false)
  const added = (siteId: string) => {
    onAdded(siteId)
    setAdding(false)
  }
  return {
    newSite: isAdding && org && <NewSite org={org} onBack={() => setAdding(false)} onCreated={({ id }) => added(id)} />,
    add: mayAdd ? () => setAdding(true) : null,
  }
}
