import { Menu, Text } from '@mantine/core'
import { IconArrowsExchange } from '@tabler/icons-react'
import { useEffect } from 'react'
import type { MembershipView } from '../../../shared/api/memberships.ts'
import { notifyFailed } from '../../lib/notify.ts'
import { placeName } from './data.ts'
import { useGoTo } from './use-go-to.tsx'

/** In the menu of one's account: where one works, and where else one could. Absent for who belongs to one place only. */
export function TenantChoice({ places }: { places: readonly MembershipView[] }) {
  const { goTo, isPending, error } = useGoTo()
  useEffect(() => {
    if (error) notifyFailed('You are where you were')(error)
  }, [error])
  const others = places.filter(({ isCurrent }) => !isCurrent)
  const current = places.find(({ isCurrent }) => isCurrent)
  if (others.length === 0) return null
  return (
    <>
      <Menu.Label>{current ? `You work in ${placeName(current)}` : 'You belong to'}</Menu.Label>
      {others.map((place) => (
        <Menu.Item
          key={place.id}
          leftSection={<IconArrowsExchange size={16} />}
          disabled={!place.isUsable || isPending}
          onClick={() => goTo(place.id)}
        >
          Go to {placeName(place)}
          <Text size="xs" c="dimmed">
            {aboutPlace(place)}
          </Text>
        </Menu.Item>
      ))}
      <Menu.Divider />
    </>
  )
}

export const aboutPlace = ({ isUsable, orgName, partnerName, roleName }: MembershipView): string =>
  isUsable ? [orgName && partnerName, roleName].filter(Boolean).join(', ') : 'Closed at the moment'
