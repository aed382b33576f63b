import { IconDevices, IconMapPinPlus, IconPlus, IconUserPlus } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type { Organization } from '../../../shared/api/organizations.ts'
import { isFrozen } from '../../domain/organizations/frozen.ts'
import { type PageAction, useOfferActions } from '../../lib/page-actions.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { useOpenDialog } from '../../lib/use-open-dialog.ts'

/** What the search dialog offers on the page of an organization. */
export function useOrganizationActions(organization: Organization): void {
  const me = useMe()
  const addDevice = useOpenDialog('add-device')
  const navigate = useNavigate({ from: '/organizations/$orgId' })
  const mayChange = can(me, 'organizations:write') && !isFrozen(organization)
  const show = (search: { tab: 'sites' | 'contacts' | 'groups'; edit: 'site' | 'contact' | 'group' }) => () =>
    void navigate({ search })
  const actions: (PageAction | false)[] = [
    mayChange && {
      label: 'Add a device',
      Icon: IconPlus,
      run: addDevice,
    },
    can(me, 'sites:write') &&
      !isFrozen(organization) && {
        label: 'New site',
        alias: 'Add',
        Icon: IconMapPinPlus,
        run: show({ tab: 'sites', edit: 'site' }),
      },
    mayChange && {
      label: 'New contact',
      alias: 'Add',
      Icon: IconUserPlus,
      run: show({ tab: 'contacts', edit: 'contact' }),
    },
    can(me, 'devices:read') && {
      label: 'Show devices',
      Icon: IconDevices,
      run: () => void navigate({ search: { tab: 'devices' } }),
    },
  ]
  useOfferActions(actions.filter((action) => action !== false))
}
