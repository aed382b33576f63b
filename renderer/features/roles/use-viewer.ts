import { useQuery } from '@tanstack/react-query'
import { partnerQuery } from '../../data/partners.ts'
import { usePartnerIdOfPage } from '../../domain/roles/role-pages.ts'
import { useMe } from '../../lib/session.ts'
import type { RoleViewer } from './owner-labels.ts'

/** For whom roles are shown: platform administrators see those of a partner as its own people do. */
export function useRoleViewer(): RoleViewer {
  const me = useMe()
  const viewedPartnerId = usePartnerIdOfPage()
  const partner = useQuery({ ...partnerQuery(viewedPartnerId ?? ''), enabled: viewedPartnerId !== undefined }).data
  if (viewedPartnerId === undefined) return me
  return { scope: 'partner', partnerName: partner?.name ?? null, orgId: null }
}
