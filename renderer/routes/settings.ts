import { createRoute } from '@tanstack/react-router'
import { z } from 'zod'
import { apiKeyStatus } from '../../shared/api/api-keys.ts'
import { mailStatus } from '../../shared/api/messaging.ts'
import { taskPart } from '../../shared/api/system.ts'
import { companyTabs } from '../features/company/tabs.ts'
import { roleTabs } from '../features/roles/tabs.ts'
import { lazyPage } from '../features/shell/lazy-page.tsx'
import { appRoute } from './frame.tsx'
import { id, oneOf, pageNumber, peopleSearch, searched, text } from './search.ts'

const profileRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings/profile',
  validateSearch: z.object({ tab: oneOf(['security', 'sessions']), ssoLinked: oneOf(['1']), ssoLinkError: text }),
  component: lazyPage(() => import('../features/profile/profile-page.tsx'), 'ProfilePage'),
})

const companyRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings/company',
  validateSearch: z.object({ tab: oneOf(companyTabs) }),
  component: lazyPage(() => import('../features/company/company-page.tsx'), 'CompanyPage'),
})

const companiesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/companies',
  validateSearch: z.object({ page: pageNumber, create: oneOf(['company']) }),
  component: lazyPage(() => import('../features/companies/company-list-page.tsx'), 'CompanyListPage'),
})

const companyDetailsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/companies/$companyId',
  validateSearch: z.object({ ...peopleSearch, page: pageNumber }),
  component: lazyPage(() => import('../features/companies/company-details-page.tsx'), 'CompanyDetailsPage'),
})

const companyPersonRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/companies/$companyId/people/$personId',
  component: lazyPage(() => import('../features/people/person-page.tsx'), 'CompanyPersonPage'),
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
  /** The organization whose people are looked at; without one, everybody. */
  validateSearch: z.object({ in: id }),
  component: lazyPage(() => import('../features/people/person-page.tsx'), 'PersonPage'),
})

const rolesSearch = z.object({
  search: searched,
  of: z
    .union([z.enum(['built-in', 'company']), z.uuid()])
    .optional()
    .catch(undefined),
  page: pageNumber,
  create: oneOf(['role']),
})

/** `permission` is one that a link is about, such as `devices:execute`. */
const roleSearch = z.object({ tab: oneOf(roleTabs), permission: text })

const rolesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings/roles',
  validateSearch: rolesSearch,
  component: lazyPage(() => import('../features/roles/roles-page.tsx'), 'RolesPage'),
})

const companyRolesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/companies/$companyId/roles',
  validateSearch: rolesSearch,
  component: lazyPage(() => import('../features/roles/roles-page.tsx'), 'RolesPage'),
})

const roleRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings/roles/$roleId',
  validateSearch: roleSearch,
  component: lazyPage(() => import('../features/roles/role-page.tsx'), 'RolePage'),
})

const companyRoleRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/companies/$companyId/roles/$roleId',
  validateSearch: roleSearch,
  component: lazyPage(() => import('../features/roles/role-page.tsx'), 'RolePage'),
})

const apiKeysRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings/api-keys',
  validateSearch: z.object({
    search: searched,
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

const jobsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/system/jobs',
  validateSearch: z.object({ show: oneOf(taskPart.exclude(['open']).options), page: pageNumber }),
  component: lazyPage(() => import('../features/jobs/jobs-page.tsx'), 'JobsPage'),
})

const applianceRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/system/appliance',
  component: lazyPage(() => import('../features/appliance/appliance-page.tsx'), 'AppliancePage'),
})

/** One's own profile, the company or all of them, and the appliance. */
export const settingsRoutes = [
  profileRoute,
  companyRoute,
  companiesRoute,
  companyDetailsRoute,
  companyPersonRoute,
  peopleRoute,
  personRoute,
  rolesRoute,
  roleRoute,
  companyRolesRoute,
  companyRoleRoute,
  apiKeysRoute,
  messagingRoute,
  jobsRoute,
  applianceRoute,
] as const
