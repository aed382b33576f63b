import { createRoute } from '@tanstack/react-router'
import { z } from 'zod'
import { contactRole } from '../../shared/api/contacts.ts'
import { deviceAttention, deviceSort, deviceStatus } from '../../shared/api/devices.ts'
import { osType } from '../../shared/device/inventory.ts'
import { devicesQuery } from '../data/devices.ts'
import { deviceQueryOf } from '../domain/devices/device-query.ts'
import { organizationTabs } from '../domain/organizations/organization-tabs.ts'
import { lazyPage } from '../features/shell/lazy-page.tsx'
import { queryClient } from '../lib/query-client.ts'
import { appRoute } from './frame.tsx'
import { id, oneOf, pageNumber, peopleSearch, searchTerm } from './search.ts'

const deviceListSearch = {
  search: searchTerm,
  site: id,
  group: id,
  status: oneOf(deviceStatus.options),
  attention: oneOf(deviceAttention.options),
  os: oneOf(osType.options),
  sort: oneOf(deviceSort.options),
  dir: oneOf(['asc', 'desc']),
  page: pageNumber,
  limit: oneOf(['25', '100']),
}

const devicesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/devices',
  validateSearch: z.object(deviceListSearch),
  beforeLoad: ({ search, cause }) => {
    // Asked for before the page is rendered, which takes a slow computer long.
    if (cause === 'enter') void queryClient.prefetchQuery(devicesQuery(deviceQueryOf(search, search.org)))
  },
  component: lazyPage(() => import('../features/devices/device-list-page.tsx'), 'DeviceListPage'),
})

const deviceRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/devices/$deviceId',
  validateSearch: z.object({
    tab: oneOf(['hardware', 'network', 'software', 'commands', 'backup']),
    range: oneOf(['6h', '24h', '7d']),
    search: searchTerm,
    page: pageNumber,
    /** The open command. */
    command: id,
    panel: oneOf(['script']),
    /** The command whose script the panel starts with. */
    again: id,
  }),
  component: lazyPage(() => import('./pages/device-page.tsx'), 'DevicePage'),
})

const organizationsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/organizations',
  validateSearch: z.object({
    search: searchTerm,
    page: pageNumber,
    archived: oneOf(['1']),
    create: oneOf(['organization']),
  }),
  component: lazyPage(() => import('./pages/organization-list-page.tsx'), 'OrganizationListPage'),
})

const organizationRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/organizations/$orgId',
  validateSearch: z.object({
    tab: oneOf(organizationTabs),
    /** The open dialog: it edits `item`, or creates something. */
    edit: oneOf(['site', 'contact', 'group']),
    item: id,
    /** Contacts of one site, or with `none` of the organization itself. */
    at: z
      .union([z.literal('none'), z.uuid()])
      .optional()
      .catch(undefined),
    role: oneOf(contactRole.options),
    /** The history of a group instead of its devices. */
    show: oneOf(['history']),
    ...deviceListSearch,
    ...peopleSearch,
  }),
  component: lazyPage(() => import('./pages/organization-page.tsx'), 'OrganizationPage'),
})

const enrollmentKeysRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/enrollment-keys',
  validateSearch: z.object({ state: oneOf(['current', 'expired']), page: pageNumber, create: oneOf(['key']) }),
  component: lazyPage(
    () => import('../features/enrollment-keys/enrollment-key-list-page.tsx'),
    'EnrollmentKeyListPage',
  ),
})

const contactImportRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/contacts/import',
  /** The organization to import into; undefined to choose one first. */
  validateSearch: z.object({ into: id }),
  component: lazyPage(() => import('../features/contacts/import/contact-import-page.tsx'), 'ContactImportPage'),
})

/** Organizations and what belongs to them. */
export const tenantRoutes = [
  devicesRoute,
  deviceRoute,
  organizationsRoute,
  organizationRoute,
  enrollmentKeysRoute,
  contactImportRoute,
] as const
