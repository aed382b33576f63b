import type { Me } from '../../../shared/api/profile.ts'
import { can } from '../../lib/permissions.ts'

/** Users with access to some of the organizations only cannot change what applies to all. */
export const mayChangePartner = (me: Me): boolean => can(me, 'organizations:write') && me.orgAccess !== 'selected'
