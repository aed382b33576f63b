import { Stack } from '@mantine/core'
import {
  IconBuilding,
  IconBuildingSkyscraper,
  IconClockPlay,
  IconDevices,
  IconKey,
  IconMail,
  IconServer2,
  IconUsers,
} from '@tabler/icons-react'
import { useLocation } from '@tanstack/react-router'
import type { Me } from '../../../shared/api/profile.ts'
import { can } from '../../lib/permissions.ts'
import { NavItem } from '../../ui/links.tsx'
import { MailTrouble } from '../messaging/mail-trouble.tsx'
import classes from './app-layout.module.css'

const isFullPartner = (me: Me) => me.scope === 'partner' && me.canManagePartnerWide

const entries = [
  { to: '/devices', label: 'Devices', Icon: IconDevices, isFor: (me: Me) => can(me, 'devices:read') },
  {
    to: '/organizations',
    label: 'Organizations',
    Icon: IconBuilding,
    isFor: (me: Me) => me.scope !== 'organization' && can(me, 'organizations:read'),
  },
  {
    to: '/enrollment-keys',
    label: 'Enrollment keys',
    Icon: IconKey,
    isFor: (me: Me) => can(me, 'organizations:read'),
  },
  {
    to: '/settings/people',
    label: 'People',
    Icon: IconUsers,
    isFor: (me: Me) => can(me, 'users:read') && (me.scope === 'organization' || isFullPartner(me)),
  },
  {
    to: '/settings/company',
    label: 'Company',
    Icon: IconBuildingSkyscraper,
    isFor: (me: Me) => me.scope === 'partner' && can(me, 'organizations:read'),
  },
  { to: '/system/mail', label: 'Messages', Icon: IconMail, isFor: (me: Me) => me.isPlatformAdmin },
  { to: '/system/jobs', label: 'Background jobs', Icon: IconClockPlay, isFor: (me: Me) => me.isPlatformAdmin },
  { to: '/system/appliance', label: 'Appliance', Icon: IconServer2, isFor: (me: Me) => me.isPlatformAdmin },
] as const

/** Only what the user may open. */
export function Navigation({ me, onNavigate }: { me: Me; onNavigate: () => void }) {
  const path = useLocation({ select: (location) => location.pathname })
  return (
    <Stack gap={2} component="nav" aria-label="Main">
      {entries
        .filter((entry) => entry.isFor(me))
        .map(({ to, label, Icon }) => (
          <NavItem
            key={to}
            to={to}
            label={label}
            active={path.startsWith(to)}
            rightSection={to === '/system/mail' && <MailTrouble />}
            leftSection={<Icon size={18} stroke={1.7} aria-hidden />}
            className={classes.link}
            onClick={onNavigate}
          />
        ))}
    </Stack>
  )
}
