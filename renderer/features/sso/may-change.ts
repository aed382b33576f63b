import type { Me } from '../../../shared/api/profile.ts'
import type { SsoOwner } from '../../data/sso-providers.ts'
import { can } from '../../lib/permissions.ts'

const mayAdminister = (me: Me) => can(me, 'organizations:write') || can(me, 'sso:admin')

/** What a whole company signs in with is for who looks after all of it. */
export const mayChangeProviders = (me: Me, { orgId }: SsoOwner): boolean =>
  mayAdminister(me) && (orgId !== undefined || me.scope === 'system' || me.canManagePartnerWide)
