import { useQuery } from '@tanstack/react-query'
import { membershipsQuery, membershipTenantName } from '../../data/memberships.ts'
import { Fact } from '../../ui/facts.tsx'

/** Memberships with their roles; platform administrators have none. */
export function OwnMemberships() {
  const places = useQuery(membershipsQuery).data ?? []
  if (places.length === 0) return null
  return (
    <Fact name="Belongs to">
      {places.map((place) => (
        <div key={place.id}>
          {membershipTenantName(place)}, {place.roleName}
        </div>
      ))}
    </Fact>
  )
}
