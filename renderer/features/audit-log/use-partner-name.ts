import { useQuery } from '@tanstack/react-query'
import { companiesQuery } from '../../data/partners.ts'
import { useMe } from '../../lib/session.ts'

/** Whose events they are that belong to no organization; who runs the platform sees those of all companies. */
export function useCompanyName(id: string | null): string {
  const { scope, partnerName } = useMe()
  const companies = useQuery({ ...companiesQuery, enabled: scope === 'system' && id !== null }).data
  if (id === null) return 'The appliance'
  return companies?.find((company) => company.id === id)?.name ?? partnerName ?? 'A company'
}
