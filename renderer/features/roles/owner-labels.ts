import type { Me } from '../../../shared/api/profile.ts'
import type { RoleRow } from '../../../shared/api/roles.ts'

type Owned = Pick<RoleRow, 'scope' | 'orgName'>
export type RoleViewer = Pick<Me, 'scope' | 'partnerName' | 'orgId'>

/** The tenants whose people can have the role. */
export function ownerName({ scope, orgName }: Owned, reader: RoleViewer): string {
  if (scope === 'partner') return reader.partnerName ?? 'The company'
  return orgName ?? (reader.scope === 'organization' ? 'Your organization' : 'Any organization')
}

/** The same in a sentence; names keep their case. */
export function ownerSentence(role: Owned, reader: RoleViewer): string {
  const name = ownerName(role, reader)
  return `For people of ${role.scope === 'partner' || role.orgName ? name : name.toLowerCase()}.`
}
