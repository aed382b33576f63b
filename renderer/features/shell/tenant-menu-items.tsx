import { Menu, Text } from '@mantine/core'
import { IconArrowsExchange } from '@tabler/icons-react'
import type { MembershipView } from '../../../shared/api/memberships.ts'
import { membershipTenantName } from '../../data/memberships.ts'

interface Props {
  places: readonly MembershipView[]
  isBusy: boolean
  onGoTo: (membershipId: string) => void
}

/** In the user menu: the current tenant, and the others to switch to. Absent for users with a single membership. */
export function TenantMenuItems({ places, isBusy, onGoTo }: Props) {
  const others = places.filter(({ isCurrent }) => !isCurrent)
  const current = places.find(({ isCurrent }) => isCurrent)
  if (others.length === 0) return null
  return (
    <>
      <Menu.Label>{current ? `You work in ${membershipTenantName(current)}` : 'You belong to'}</Menu.Label>
      {others.map((place) => (
        <Menu.Item
          key={place.id}
          leftSection={<IconArrowsExchange size={16} />}
          disabled={!place.isUsable || isBusy}
          onClick={() => onGoTo(place.id)}
        >
          Go to {membershipTenantName(place)}
          <Text size="xs" c="inherit">
            {aboutPlace(place)}
          </Text>
        </Menu.Item>
      ))}
      <Menu.Divider />
    </>
  )
}

const aboutPlace = ({ isUsable, orgName, partnerName, roleName }: MembershipView): string =>
  isUsable ? [orgName && partnerName, roleName].filter(Boolean).join(', ') : 'Closed at the moment'
