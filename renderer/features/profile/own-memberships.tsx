import { useQuery } from '@tanstack/react-query'
import { membershipsQuery, membershipTenantName } from '../../data/memberships.ts'
import { Fact } from '../../ui/facts.tsx'

/** Memberships with their roles; platform administrators have none. */
export function OwnMemberships() {
  const memberships = useQuery(membershipsQuery).data ?? []
  if (memberships.length === 0) return null
  return (
    <Fact name="Member of">
      {memberships.map((membership) => (
        <div key={membership.id}>
          {membershipTenantName(membership)}, {membership.roleName}
        </div>
      ))}
    </Fact>
  )
}
