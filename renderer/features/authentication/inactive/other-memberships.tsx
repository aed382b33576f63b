import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { membershipsQuery, membershipTenantName } from '../../../data/memberships.ts'
import { useSwitchTenant } from '../../../domain/memberships/use-switch-tenant.tsx'

/** Other memberships of a user whose partner is inactive. */
export function OtherMemberships() {
  const places = useQuery(membershipsQuery).data ?? []
  const { goTo, isPending } = useSwitchTenant()
  const open = places.filter(({ isCurrent, isUsable }) => !isCurrent && isUsable)
  if (open.length === 0) return null
  return (
    <Stack gap="xs">
      <Text size="sm">You also belong to:</Text>
      {open.map((place) => (
        <Button key={place.id} fullWidth loading={isPending} onClick={() => goTo(place.id)}>
          Go to {membershipTenantName(place)}
        </Button>
      ))}
    </Stack>
  )
}
