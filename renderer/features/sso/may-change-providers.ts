import type { Me } from '../../../shared/api/profile.ts'
import type { SsoOwner } from '../../data/sso-providers.ts'
import { can } from '../../lib/permissions.ts'

const mayAdminister = (me: Me) => can(me, 'organizations:write') || can(me, 'sso:admin')

/** Providers of the whole partner require access to all its organizations. */
export const mayChangeProviders = (me: Me, { orgId }: SsoOwner): boolean =>
  mayAdminister(me) && (orgId !== undefined || me.scope === 'system' || me.canManagePartnerWide)
