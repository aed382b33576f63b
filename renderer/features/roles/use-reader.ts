import { useQuery } from '@tanstack/react-query'
import { useMe } from '../../lib/session.ts'
import { oneCompanyQuery } from '../companies/data.ts'
import type { Reader } from './owner-words.ts'
import { useCompanyId } from './places.ts'

/** For whom roles are shown: who runs the platform sees those of a company as its own people do. */
export function useReader(): Reader {
  const me = useMe()
  const companyId = useCompanyId()
  const company = useQuery({ ...oneCompanyQuery(companyId ?? ''), enabled: companyId !== undefined }).data
  if (companyId === undefined) return me
  return { scope: 'partner', partnerName: company?.name ?? null, orgId: null }
}
