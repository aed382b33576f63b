import type { Me } from '../../../shared/api/profile.ts'
import type { RoleRow } from '../../../shared/api/roles.ts'

type Owned = Pick<RoleRow, 'scope' | 'orgName'>
export type Reader = Pick<Me, 'scope' | 'partnerName' | 'orgId'>

/** Whose people can have a role. */
export function ownerWords({ scope, orgName }: Owned, reader: Reader): string {
  if (scope === 'partner') return reader.partnerName ?? 'The company'
  return orgName ?? (reader.scope === 'organization' ? 'Your organization' : 'Any organization')
}

/** The same as a sentence, in which a name stays as it is written. */
export function ownerSentence(role: Owned, reader: Reader): string {
  const words = ownerWords(role, reader)
  return `For people of ${role.scope === 'partner' || role.orgName ? words : words.toLowerCase()}.`
}
