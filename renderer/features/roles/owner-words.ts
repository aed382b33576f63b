import type { Me } from '../../../shared/api/profile.ts'
import type { RoleRow } from '../../../shared/api/roles.ts'

/** Whose people can have a role. */
export function ownerWords({ scope, orgName }: RoleRow, { scope: own, partnerName }: Me): string {
  if (orgName) return orgName
  if (scope === 'organization') return own === 'organization' ? 'Your organization' : 'Any organization'
  return partnerName ?? 'The company'
}
