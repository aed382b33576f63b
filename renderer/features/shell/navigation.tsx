import { Stack } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import type { Me } from '../../../shared/api/profile.ts'
import { MailProblemBadge } from '../../domain/messaging/mail-problem-badge.tsx'
import { pages } from '../../domain/navigation/pages.ts'
import { OrganizationSwitcher } from '../../domain/organizations/organization-switcher.tsx'
import {
  useHasOrganizationChoice,
  useSelectedOrganizationId,
} from '../../domain/organizations/selected-organization.ts'
import { NavItem } from '../../ui/links.tsx'
import classes from './app-layout.module.css'

/** The pages that the user may open. */
export function Navigation({ me, onNavigate }: { me: Me; onNavigate: () => void }) {
  const path = useLocation({ select: (location) => location.pathname })
  const selectedOrgId = useSelectedOrganizationId()
  const org = useHasOrganizationChoice() ? selectedOrgId : undefined
  return (
    <Stack gap={2} component="nav" aria-label="Main">
      {/* On a phone the navigation is folded, and lists show the switcher themselves. */}
      <OrganizationSwitcher visibleFrom="sm" />
      {pages
        .filter(({ isFor }) => isFor(me))
        .map(({ to, label, Icon }) => (
          <NavItem
            key={to}
            to={to}
            search={{ org }}
            label={label}
            active={path.startsWith(to)}
            rightSection={to === '/system/mail' && <MailProblemBadge />}
            leftSection={<Icon size={18} stroke={1.7} aria-hidden />}
            className={classes.link}
            onClick={onNavigate}
          />
        ))}
    </Stack>
  )
}
