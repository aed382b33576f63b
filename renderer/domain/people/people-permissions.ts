import type { Me } from '../../../shared/api/profile.ts'
import { can } from '../../lib/permissions.ts'

const isFullPartner = (me: Me) => me.scope === 'partner' && me.canManagePartnerWide

/** Only users with access to the whole partner see its people, whatever their role permits. */
export const maySeePeople = (me: Me): boolean => me.scope !== 'partner' || isFullPartner(me)
export const seesPeople = (me: Me): boolean => can(me, 'users:read') && maySeePeople(me)
