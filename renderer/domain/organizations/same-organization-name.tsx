import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { nameKey } from '../../../shared/names.ts'
import { organizationsQuery } from '../../data/organizations.ts'
import { useMe } from '../../lib/session.ts'
import { SameNameHint } from '../tenants/same-name-hint.tsx'
import { distinguishingText } from './same-names.ts'

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
  return <SameNameHint of={useOrganizationsNamedLike(props).map(distinguishingText)} what="organization" />
}
