import {
  IconApi,
  IconBuilding,
  IconBuildingCommunity,
  IconBuildingSkyscraper,
  IconClockPlay,
  IconDevices,
  IconHistory,
  IconKey,
  IconLogin2,
  IconMail,
  IconServer2,
  IconShieldLock,
  IconUsers,
} from '@tabler/icons-react'
import type { Me } from '../../../shared/api/profile.ts'
import { can } from '../../lib/permissions.ts'
import { seesOrganizations } from '../organizations/organization-permissions.ts'
import { seesPeople } from '../people/people-permissions.ts'

/** Pages of the navigation, and who may open them. */
export const pages = [
  {
    to: '/devices',
    label: 'Devices',
    Icon: IconDevices,
    isFor: (me: Me) => seesOrganizations(me) && can(me, 'devices:read'),
  },
  {
    to: '/organizations',
    label: 'Organizations',
    Icon: IconBuilding,
    isFor: (me: Me) => me.scope !== 'organization' && seesOrganizations(me) && can(me, 'organizations:read'),
  },
  {
    to: '/enrollment-keys',
    label: 'Enrollment keys',
    Icon: IconKey,
    isFor: (me: Me) => seesOrganizations(me) && can(me, 'organizations:read'),
  },
  {
    to: '/settings/people',
    label: 'People',
    Icon: IconUsers,
    isFor: (me: Me) => me.scope !== 'system' && seesPeople(me),
  },
  {
    to: '/settings/roles',
    label: 'Roles',
    Icon: IconShieldLock,
    isFor: (me: Me) => me.scope !== 'system' && seesPeople(me),
  },
  {
    to: '/settings/api-keys',
    label: 'API keys',
    Icon: IconApi,
    isFor: (me: Me) => seesOrganizations(me) && can(me, 'organizations:read'),
  },
  {
    to: '/settings/single-sign-on',
    label: 'Single sign-on',
    Icon: IconLogin2,
    // Others reach it from the page of the partner or of an organization.
    isFor: (me: Me) => me.scope === 'organization' && (can(me, 'organizations:write') || can(me, 'sso:admin')),
  },
  { to: '/audit', label: 'Audit log', Icon: IconHistory, isFor: (me: Me) => can(me, 'audit:read') },
  {
    to: '/settings/company',
    label: 'Company',
    Icon: IconBuildingSkyscraper,
    isFor: (me: Me) => me.scope === 'partner' && can(me, 'organizations:read'),
  },
  {
    to: '/companies',
    label: 'Companies',
    Icon: IconBuildingCommunity,
    isFor: (me: Me) => me.scope === 'system' && can(me, 'organizations:read'),
  },
  { to: '/system/mail', label: 'Messages', Icon: IconMail, isFor: (me: Me) => me.isPlatformAdmin },
  { to: '/system/jobs', label: 'Background jobs', Icon: IconClockPlay, isFor: (me: Me) => me.isPlatformAdmin },
  { to: '/system/appliance', label: 'Appliance', Icon: IconServer2, isFor: (me: Me) => me.isPlatformAdmin },
] as const

/** The first page open to the user; for users without organizations, the partner's settings. */
export const homePageFor = (me: Me) => {
  const open = pages.filter(({ isFor }) => isFor(me))
  const company = seesOrganizations(me) ? undefined : open.find(({ to }) => to === '/settings/company')
  return company ?? open[0] ?? ({ to: '/settings/profile', label: 'Your profile' } as const)
}
