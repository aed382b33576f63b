import {
  IconApi,
  IconBuilding,
  IconBuildingCommunity,
  IconBuildingSkyscraper,
  IconChartAreaLine,
  IconCloudUpload,
  IconCopy,
  IconDatabase,
  IconDevices,
  IconFileSearch,
  IconGauge,
  IconHistory,
  IconHome,
  IconKey,
  IconLifebuoy,
  IconLockPassword,
  IconLogin2,
  IconMail,
  IconRestore,
  IconServer2,
  IconShieldCheck,
  IconShieldLock,
  IconTargetArrow,
  IconUsers,
} from '@tabler/icons-react'
import type { Me } from '../../../shared/api/profile.ts'
import { can } from '../../lib/permissions.ts'
import { seesOrganizations } from '../organizations/organization-permissions.ts'
import { seesPeople } from '../people/people-permissions.ts'

/** What is opened every day. `key` opens the page after a "g"; by `words` the search finds it, too. */
const daily = [
  {
    to: '/',
    label: 'Home',
    words: 'start dashboard overview attention',
    key: 'h',
    Icon: IconHome,
    isFor: (me: Me) => seesOrganizations(me) && can(me, 'devices:read'),
  },
  {
    to: '/devices',
    label: 'Devices',
    words: 'computers machines endpoints groups',
    key: 'd',
    Icon: IconDevices,
    isFor: (me: Me) => seesOrganizations(me) && can(me, 'devices:read'),
  },
  {
    to: '/organizations',
    label: 'Organizations',
    words: 'customers sites groups contacts',
    key: 'o',
    Icon: IconBuilding,
    isFor: (me: Me) => me.scope !== 'organization' && seesOrganizations(me) && can(me, 'organizations:read'),
  },
  {
    to: '/companies',
    label: 'Companies',
    words: 'partners tenants',
    key: 'c',
    Icon: IconBuildingCommunity,
    isFor: (me: Me) => me.scope === 'system' && can(me, 'organizations:read'),
  },
  {
    to: '/settings/people',
    label: 'People',
    words: 'users members invite invitation',
    key: 'p',
    Icon: IconUsers,
    isFor: (me: Me) => me.scope !== 'system' && seesPeople(me),
  },
  {
    to: '/audit',
    label: 'Audit log',
    words: 'history events changes export',
    key: 'a',
    Icon: IconHistory,
    isFor: (me: Me) => can(me, 'audit:read'),
  },
] as const

/** Backups; a group of the navigation that can be collapsed. */
const backup = [
  {
    to: '/backup/overview',
    label: 'Overview',
    words: 'backup dashboard report attention protected usage csv',
    key: 'i',
    Icon: IconGauge,
    isFor: (me: Me) => seesOrganizations(me) && (can(me, 'organizations:read') || can(me, 'backup:read')),
  },
  {
    to: '/backup/protection',
    label: 'Protection',
    words: 'backup protect policies schedule retention profiles',
    key: 'v',
    Icon: IconShieldCheck,
    isFor: (me: Me) => seesOrganizations(me) && can(me, 'devices:read') && can(me, 'backup:read'),
  },
  {
    to: '/backup/jobs',
    label: 'Jobs',
    words: 'backup running failed history',
    key: 'j',
    Icon: IconCloudUpload,
    isFor: (me: Me) => seesOrganizations(me) && (can(me, 'organizations:read') || can(me, 'backup:read')),
  },
  {
    to: '/backup/files',
    label: 'Restore files',
    words: 'backup find lost deleted browse snapshots versions recover undelete',
    key: 'f',
    Icon: IconFileSearch,
    isFor: (me: Me) => seesOrganizations(me) && can(me, 'devices:read') && can(me, 'backup:read'),
  },
  {
    to: '/backup/restores',
    label: 'Restores',
    words: 'backup recover files bring back',
    key: 'y',
    Icon: IconRestore,
    isFor: (me: Me) => seesOrganizations(me) && can(me, 'backup:read'),
  },
  {
    to: '/backup/readiness',
    label: 'Readiness',
    words: 'backup recovery score risk rto rpo test restore proof disaster report print',
    key: 'x',
    Icon: IconLifebuoy,
    isFor: (me: Me) => seesOrganizations(me) && (can(me, 'organizations:read') || can(me, 'backup:read')),
  },
  {
    to: '/backup/sla',
    label: 'SLA',
    words: 'backup promise target rpo rto breach service level agreement compliance',
    key: 'l',
    Icon: IconTargetArrow,
    isFor: (me: Me) => seesOrganizations(me) && (can(me, 'organizations:read') || can(me, 'backup:read')),
  },
  {
    to: '/backup/storage',
    label: 'Storage',
    words: 'backup destination repository s3 sftp azure',
    key: 't',
    Icon: IconDatabase,
    isFor: (me: Me) => seesOrganizations(me) && can(me, 'backup:read'),
  },
  {
    to: '/backup/second-copies',
    label: 'Second copies',
    words: 'backup vault usb disk offline copy 3-2-1 offsite',
    key: 'u',
    Icon: IconCopy,
    isFor: (me: Me) => seesOrganizations(me) && (can(me, 'organizations:read') || can(me, 'backup:read')),
  },
  {
    to: '/backup/usage',
    label: 'Usage',
    words: 'backup growth forecast disk full deduplication compression retention savings',
    key: 'w',
    Icon: IconChartAreaLine,
    isFor: (me: Me) => seesOrganizations(me) && (can(me, 'organizations:read') || can(me, 'backup:read')),
  },
  {
    to: '/backup/keys',
    label: 'Keys',
    words: 'backup encryption recovery sheet password rotate print',
    key: 'n',
    Icon: IconLockPassword,
    isFor: (me: Me) => seesOrganizations(me) && (can(me, 'organizations:read') || can(me, 'backup:read')),
  },
] as const

/** What is set up once and changed rarely; a group of the navigation that can be collapsed. */
const settings = [
  {
    to: '/settings/company',
    label: 'Company',
    words: 'time zone name address hours tickets',
    key: 'c',
    Icon: IconBuildingSkyscraper,
    isFor: (me: Me) => me.scope === 'partner' && can(me, 'organizations:read'),
  },
  {
    to: '/settings/sign-in',
    label: 'Sign-in and SSO',
    words: 'two-factor mfa security password allow list branding logo',
    key: 's',
    Icon: IconLogin2,
    isFor: (me: Me) => me.scope === 'partner' && can(me, 'organizations:read'),
  },
  {
    to: '/settings/single-sign-on',
    label: 'Single sign-on',
    words: 'sso oidc identity provider',
    key: 's',
    Icon: IconLogin2,
    // Others reach it from the page of the company or of an organization.
    isFor: (me: Me) => me.scope === 'organization' && (can(me, 'organizations:write') || can(me, 'sso:admin')),
  },
  {
    to: '/settings/roles',
    label: 'Roles',
    words: 'permissions',
    key: 'r',
    Icon: IconShieldLock,
    isFor: (me: Me) => me.scope !== 'system' && seesPeople(me),
  },
  {
    to: '/settings/api-keys',
    label: 'API keys',
    words: 'tokens',
    key: 'k',
    Icon: IconApi,
    isFor: (me: Me) => seesOrganizations(me) && can(me, 'organizations:read'),
  },
  {
    to: '/enrollment-keys',
    label: 'Enrollment keys',
    words: 'add device agent installer',
    key: 'e',
    Icon: IconKey,
    isFor: (me: Me) => seesOrganizations(me) && can(me, 'organizations:read'),
  },
  {
    to: '/system/mail',
    label: 'Messages',
    words: 'email smtp sms server',
    key: 'm',
    Icon: IconMail,
    isFor: (me: Me) => me.isPlatformAdmin,
  },
  {
    to: '/system/appliance',
    label: 'Appliance',
    words:
      'backup restore public address certificate tls registration version update background jobs scheduled tasks restic engine',
    key: 'b',
    Icon: IconServer2,
    isFor: (me: Me) => me.isPlatformAdmin,
  },
] as const

/** Pages of the navigation, and who may open them. */
export const pages = [...daily, ...backup, ...settings] as const

export type NavigationPage = (typeof pages)[number]

/** The pages that the user may open, in the groups of the navigation. */
export const navigationFor = (
  me: Me,
): { daily: NavigationPage[]; backup: NavigationPage[]; settings: NavigationPage[] } => ({
  daily: daily.filter(({ isFor }) => isFor(me)),
  backup: backup.filter(({ isFor }) => isFor(me)),
  settings: settings.filter(({ isFor }) => isFor(me)),
})

/** Whether a page, or one below it, is at this path. */
export const isOpenAt = (path: string, { to }: NavigationPage): boolean =>
  path === to || (to !== '/' && path.startsWith(`${to}/`))

/** The first page open to the user; for users without organizations, the settings of the company. */
export const homePageFor = (me: Me) => {
  const open = pages.filter(({ isFor }) => isFor(me))
  const company = seesOrganizations(me) ? undefined : open.find(({ to }) => to === '/settings/company')
  return company ?? open[0] ?? ({ to: '/settings/profile', label: 'Your profile' } as const)
}
