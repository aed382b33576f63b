import { useQuery } from '@tanstack/react-query'
import { oneCompanyQuery } from '../../data/partners.ts'
import { useCompanyId } from '../../domain/roles/role-pages.ts'
import { useMe } from '../../lib/session.ts'
import type { Reader } from './owner-labels.ts'

/** For whom roles are shown: who runs the platform sees those of a company as its own people do. */
export function useReader(): Reader {
  const me = useMe()
  const companyId = useCompanyId()
  const company = useQuery({ ...oneCompanyQuery(companyId ?? ''), enabled: companyId !== undefined }).data
  if (companyId === undefined) return me
  return { scope: 'partner', partnerName: company?.name ?? null, orgId: null }
}
