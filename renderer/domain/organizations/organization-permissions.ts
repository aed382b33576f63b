import type { Me } from '../../../shared/api/profile.ts'

/** Partner members without any organization only manage the partner's settings. */
export const seesOrganizations = (me: Me): boolean => me.orgAccess !== 'none'
