import { useNavigate } from '@tanstack/react-router'
import { personPage } from '../../domain/people/person-page.ts'
import { type Opened, useRecentlyOpened } from '../../domain/search/recently-opened.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'

/** Opens the page of something found, in place of the dialog. */
export function useOpen() {
  const navigate = useNavigate()
  const me = useMe()
  const { remember } = useRecentlyOpened()
  const isOfOrganization = me.scope === 'organization'
  const show = ({ kind, id, orgId = '', partnerId }: Opened) => {
    switch (kind) {
      case 'device':
        return navigate({ to: '/devices/$deviceId', params: { deviceId: id }, replace: true })
      case 'organization':
        return navigate({ to: '/organizations/$orgId', params: { orgId: id }, replace: true })
      case 'site':
        // Members of an organization have no page of it.
        if (isOfOrganization) return navigate({ to: '/devices', search: { site: id }, replace: true })
        return navigate({
          to: '/organizations/$orgId',
          params: { orgId },
          search: can(me, 'devices:read') ? { tab: 'devices', site: id } : { tab: 'sites' },
          replace: true,
        })
      case 'person':
        return navigate({
          ...personPage({ partnerId: me.scope === 'system' ? partnerId : undefined }, id),
          replace: true,
        })
      case 'contact':
        return navigate({
          to: '/organizations/$orgId',
          params: { orgId },
          search: can(me, 'organizations:write') ? { tab: 'contacts', edit: 'contact', item: id } : { tab: 'contacts' },
          replace: true,
        })
    }
  }
  return (item: Opened) => {
    remember(item)
    return show(item)
  }
}
