import type { Me } from '../../../shared/api/profile.ts'
import { can } from '../../lib/permissions.ts'

/** Whoever looks after a part of the organizations has no part in what holds for all of them. */
export const mayChangePartner = (me: Me): boolean => can(me, 'organizations:write') && me.orgAccess !== 'selected'
