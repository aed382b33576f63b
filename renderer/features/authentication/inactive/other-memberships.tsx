import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { membershipsQuery, placeName } from '../../../data/memberships.ts'
import { useGoTo } from '../../../domain/memberships/use-switch-tenant.tsx'

/** Where somebody can go on whose company is closed, if they belong to another one. */
export function OtherPlaces() {
  const places = useQuery(membershipsQuery).data ?? []
  const { goTo, isPending } = useGoTo()
  const open = places.filter(({ isCurrent, isUsable }) => !isCurrent && isUsable)
  if (open.length === 0) return null
  return (
    <Stack gap="xs">
      <Text size="sm">You also belong to:</Text>
      {open.map((place) => (
        <Button key={place.id} fullWidth loading={isPending} onClick={() => goTo(place.id)}>
          Go to {placeName(place)}
        </Button>
      ))}
    </Stack>
  )
}
