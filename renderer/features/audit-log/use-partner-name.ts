import { useQuery } from '@tanstack/react-query'
import { allPartnersQuery } from '../../data/partners.ts'
import { useMe } from '../../lib/session.ts'

/**
 * Name of the partner that an event without organization belongs to; platform administrators see events of all
 * partners.
 */
export function usePartnerName(id: string | null): string {
  const { scope, partnerName } = useMe()
  const partners = useQuery({ ...allPartnersQuery, enabled: scope === 'system' && id !== null }).data
  if (id === null) return 'The appliance'
  return partners?.find((partner) => partner.id === id)?.name ?? partnerName ?? 'A company'
}
