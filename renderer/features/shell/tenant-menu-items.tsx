import { Menu, Text } from '@mantine/core'
import { IconArrowsExchange } from '@tabler/icons-react'
import type { MembershipView } from '../../../shared/api/memberships.ts'
import { membershipTenantName } from '../../data/memberships.ts'

interface Props {
  memberships: readonly MembershipView[]
  isBusy: boolean
  onSwitch: (membershipId: string) => void
}

/** In the user menu: the current tenant, and the others to switch to. Absent for users with a single membership. */
export function TenantMenuItems({ memberships, isBusy, onSwitch }: Props) {
  const others = memberships.filter(({ isCurrent }) => !isCurrent)
  const current = memberships.find(({ isCurrent }) => isCurrent)
  if (others.length === 0) return null
  return (
    <>
      <Menu.Label>{current ? `Working in ${membershipTenantName(current)}` : 'Switch to'}</Menu.Label>
      {others.map((membership) => (
        <Menu.Item
          key={membership.id}
          leftSection={<IconArrowsExchange size={16} />}
          disabled={!membership.isUsable || isBusy}
          onClick={() => onSwitch(membership.id)}
        >
          Go to {membershipTenantName(membership)}
          <Text size="xs" c="inherit">
            {membershipDescription(membership)}
          </Text>
        </Menu.Item>
      ))}
      <Menu.Divider />
    </>
  )
}

const membershipDescription = ({ isUsable, orgName, partnerName, roleName }: MembershipView): string =>
  isUsable ? [orgName && partnerName, roleName].filter(Boolean).join(', ') : 'Unavailable'
