import { useQuery } from '@tanstack/react-query'
import { nameKey } from '../../../shared/names.ts'
import { sitesQuery } from '../../data/sites.ts'
import { plural } from '../../lib/format.ts'
import { SameNameHint } from '../tenants/same-name-hint.tsx'

interface SiteProps {
  name: string
  orgId: string
  /** The site that is being renamed. */
  except?: string | undefined
}

export function SameSiteNameHint({ name, orgId, except }: SiteProps) {
  const { data: sites } = useQuery(sitesQuery(orgId))
  const alike = sites?.filter((one) => one.id !== except && nameKey(one.name) === nameKey(name)) ?? []
  return <SameNameHint of={alike.map(({ deviceCount }) => plural(deviceCount, 'device'))} what="site" />
}
