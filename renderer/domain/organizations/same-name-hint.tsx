import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { nameKey } from '../../../shared/names.ts'
import { organizationsQuery } from '../../data/organizations.ts'
import { sitesQuery } from '../../data/sites.ts'
import { plural } from '../../lib/format.ts'
import { useMe } from '../../lib/session.ts'
import { StatusDot } from '../../ui/status-dot.tsx'
import { distinguishingText } from './same-names.ts'

/** Hints below the name of something new if the name exists already. */

interface OrganizationProps {
  name: string
  /** The partner whose organizations are searched; null while none is chosen. */
  partnerId: string | null | undefined
  /** The organization that is being renamed. */
  except?: string
}

/** The organizations with the typed name. */
export function useOrganizationsNamedLike({ name, partnerId, except }: OrganizationProps) {
  const hasOthers = useMe().scope !== 'organization'
  const [search] = useDebouncedValue(name.trim(), 250)
  const { data } = useQuery({
    ...organizationsQuery({ search, partnerId: partnerId ?? undefined, page: 1, limit: 100 }),
    enabled: search !== '' && partnerId !== null && hasOthers,
  })
  return data?.data.filter((one) => one.id !== except && nameKey(one.name) === nameKey(name)) ?? []
}

export function SameOrganizationNameHint(props: OrganizationProps) {
  return <Hint of={useOrganizationsNamedLike(props).map(distinguishingText)} what="organization" />
}

interface SiteProps {
  name: string
  orgId: string
  /** The site that is being renamed. */
  except?: string | undefined
}

export function SameSiteNameHint({ name, orgId, except }: SiteProps) {
  const { data: sites } = useQuery(sitesQuery(orgId))
  const alike = sites?.filter((one) => one.id !== except && nameKey(one.name) === nameKey(name)) ?? []
  return <Hint of={alike.map(({ deviceCount }) => plural(deviceCount, 'device'))} what="site" />
}

function Hint({ of, what }: { of: string[]; what: string }) {
  const [first, ...others] = of
  return (
    <span role="status">
      {first !== undefined && (
        <StatusDot tone="warn" isLong>
          {others.length > 0
            ? `There are ${of.length} ${what}s of this name already.`
            : `There is ${what === 'site' ? 'a' : 'an'} ${what} of this name already (${first}).`}
        </StatusDot>
      )}
    </span>
  )
}
