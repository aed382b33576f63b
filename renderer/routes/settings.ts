import { createRoute } from '@tanstack/react-router'
import { z } from 'zod'
import { apiKeyStatus } from '../../shared/api/api-keys.ts'
import { mailStatus } from '../../shared/api/messaging.ts'
import { taskPart } from '../../shared/api/system.ts'
import { signInTabs } from '../features/partner-settings/sign-in-tabs.ts'
import { roleTabs } from '../features/roles/role-tabs.ts'
import { lazyPage } from '../features/shell/lazy-page.tsx'
import { appRoute } from './frame.tsx'
import { id, oneOf, pageNumber, peopleSearch, searchTerm, text } from './search.ts'

const profileRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings/profile',
  validateSearch: z.object({ tab: oneOf(['security', 'sessions']), ssoLinked: oneOf(['1']), ssoLinkError: text }),
  component: lazyPage(() => import('../features/profile/profile-page.tsx'), 'ProfilePage'),
})

const partnerSettingsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings/company',
  component: lazyPage(() => import('./pages/partner-settings-page.tsx'), 'PartnerSettingsPage'),
})

const signInSettingsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings/sign-in',
  validateSearch: z.object({ tab: oneOf(signInTabs) }),
  component: lazyPage(() => import('./pages/sign-in-settings-page.tsx'), 'SignInSettingsPage'),
})

const partnersRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/companies',
  validateSearch: z.object({ page: pageNumber, create: oneOf(['company']) }),
  component: lazyPage(() => import('../features/partners/partner-list-page.tsx'), 'PartnerListPage'),
})

const partnerRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/companies/$partnerId',
  validateSearch: z.object({ ...peopleSearch, page: pageNumber }),
  component: lazyPage(() => import('./pages/partner-page.tsx'), 'PartnerPage'),
})

const partnerPersonRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/companies/$partnerId/people/$personId',
  component: lazyPage(() => import('../features/people/person-page.tsx'), 'PartnerPersonPage'),
})

const peopleRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings/people',
  validateSearch: z.object({ ...peopleSearch, page: pageNumber }),
  component: lazyPage(() => import('../features/people/people-page.tsx'), 'PeoplePage'),
})

const personRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings/people/$personId',
  /** The organization whose people are listed; undefined for all. */
  validateSearch: z.object({ in: id }),
  component: lazyPage(() => import('../features/people/person-page.tsx'), 'PersonPage'),
})

const rolesSearch = z.object({
  search: searchTerm,
  of: z
    .union([z.enum(['built-in', 'company']), z.uuid()])
    .optional()
    .catch(undefined),
  page: pageNumber,
  create: oneOf(['role']),
})

/** `permission` is the one that a link is about, such as `devices:execute`. */
const roleSearch = z.object({ tab: oneOf(roleTabs), permission: text })

const rolesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings/roles',
  validateSearch: rolesSearch,
  component: lazyPage(() => import('../features/roles/roles-page.tsx'), 'RolesPage'),
})

const partnerRolesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/companies/$partnerId/roles',
  validateSearch: rolesSearch,
  component: lazyPage(() => import('../features/roles/roles-page.tsx'), 'RolesPage'),
})

const roleRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings/roles/$roleId',
  validateSearch: roleSearch,
  component: lazyPage(() => import('../features/roles/role-page.tsx'), 'RolePage'),
})

const partnerRoleRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/companies/$partnerId/roles/$roleId',
  validateSearch: roleSearch,
  component: lazyPage(() => import('../features/roles/role-page.tsx'), 'RolePage'),
})

const apiKeysRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings/api-keys',
  validateSearch: z.object({
    search: searchTerm,
    status: oneOf(apiKeyStatus.options),
    page: pageNumber,
    create: oneOf(['key']),
  }),
  component: lazyPage(() => import('../features/api-keys/api-key-list-page.tsx'), 'ApiKeyListPage'),
})

const messagingRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/system/mail',
  validateSearch: z.object({
    tab: oneOf(['mail-server', 'text-messages']),
    status: oneOf(mailStatus.options),
    page: pageNumber,
  }),
  component: lazyPage(() => import('../features/messaging/messaging-page.tsx'), 'MessagingPage'),
})

const applianceRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/system/appliance',
  /** `show` and `page` are of the tasks below the jobs; `page` also of the devices without an engine. */
  validateSearch: z.object({
    tab: oneOf(['jobs', 'backup-engine']),
    show: oneOf(taskPart.exclude(['open']).options),
    page: pageNumber,
  }),
  component: lazyPage(() => import('../features/system/system-page.tsx'), 'SystemPage'),
})

/** Profile, partner settings, partners, people, roles, API keys and the appliance. */
export const settingsRoutes = [
  profileRoute,
  partnerSettingsRoute,
  signInSettingsRoute,
  partnersRoute,
  partnerRoute,
  partnerPersonRoute,
  peopleRoute,
  personRoute,
  rolesRoute,
  roleRoute,
  partnerRolesRoute,
  partnerRoleRoute,
  apiKeysRoute,
  messagingRoute,
  applianceRoute,
] as const
