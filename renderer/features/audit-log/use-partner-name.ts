import { useQuery } from '@tanstack/react-query'
import { allPartnersQuery } from '../../data/partners.ts'
import { useMe } from '../../lib/session.ts'

/** Whose events they are that belong to no organization; who runs the platform sees those of all companies. */
export function usePartnerName(id: string | null): string {
  const { scope, partnerName } = useMe()
  const partners = useQuery({ ...allPartnersQuery, enabled: scope === 'system' && id !== null }).data
  if (id === null) return 'The appliance'
  return partners?.find((partner) => partner.id === id)?.name ?? partnerName ?? 'A company'
}
