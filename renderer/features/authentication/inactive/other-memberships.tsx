import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { membershipsQuery, membershipTenantName } from '../../../data/memberships.ts'
import { useSwitchTenant } from '../../../domain/memberships/use-switch-tenant.tsx'

/** Other memberships of a user whose partner is inactive. */
export function OtherMemberships() {
  const memberships = useQuery(membershipsQuery).data ?? []
  const { switchTo, isPending } = useSwitchTenant()
  const open = memberships.filter(({ isCurrent, isUsable }) => !isCurrent && isUsable)
  if (open.length === 0) return null
  return (
    <Stack gap="xs">
      <Text size="sm">You also belong to:</Text>
      {open.map((membership) => (
        <Button key={membership.id} fullWidth loading={isPending} onClick={() => switchTo(membership.id)}>
          Go to {membershipTenantName(membership)}
        </Button>
      ))}
    </Stack>
  )
}
