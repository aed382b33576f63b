import { type MantineColorScheme, Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconKeyboard, IconLogout, IconUserCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Me } from '../../../shared/api/profile.ts'
import { membershipsQuery } from '../../data/memberships.ts'
import { useSwitchTenant } from '../../domain/memberships/use-switch-tenant.tsx'
import { UserAvatar } from '../../domain/people/user-avatar.tsx'
import { useColorScheme } from '../../domain/profile/use-color-scheme.ts'
import { useSignOut } from '../../domain/session/use-sign-out.ts'
import { colorSchemes } from '../../ui/theme-switch.tsx'
import { openShortcuts } from './shortcuts.tsx'
import { TenantMenuItems } from './tenant-menu-items.tsx'

export function UserMenu({ me }: { me: Me }) {
  const navigate = useNavigate()
  const theme = useColorScheme()
  const leave = useSignOut()
  const { switchTo, isPending } = useSwitchTenant()
  // Fetched before the menu opens, so that its items do not move.
  const memberships = useQuery(membershipsQuery).data ?? []
  return (
    <Menu width={240}>
      <Menu.Target>
        <UnstyledButton>
          <UserAvatar person={me} />
          <VisuallyHidden>Account of {me.name}</VisuallyHidden>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)" truncate>
            {me.name}
          </Text>
          <Text size="xs" truncate>
            {me.email}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <TenantMenuItems memberships={memberships} isBusy={isPending} onSwitch={switchTo} />
        <Menu.Item leftSection={<IconUserCircle size={16} />} onClick={() => navigate({ to: '/settings/profile' })}>
          Your profile
        </Menu.Item>
        <Menu.Item leftSection={<IconKeyboard size={16} />} onClick={openShortcuts}>
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Color scheme</Menu.Label>
        <Menu.RadioGroup value={theme.scheme} onChange={(value) => theme.change(value as MantineColorScheme)}>
          {colorSchemes.map(({ value, label }) => (
            <Menu.RadioItem key={value} value={value}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} disabled={leave.isPending} onClick={() => leave.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
