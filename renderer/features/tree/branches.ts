import { queryOptions } from '@tanstack/react-query'
import type { DeviceStatus } from '../../../shared/api/devices.ts'
import { listSites } from '../../../shared/api/sites.ts'
import { api } from '../../lib/api.ts'
import { devicesQuery } from '../devices/data.ts'
import { nameOf } from '../devices/words.ts'
import { organizationKeys, organizationsQuery } from '../organizations/data.ts'

/** One thing of the tree. Its `path` is unique, and tells alone what lies below it: `all`, `org:…`, `site:…:…`. */
export interface Place {
  kind: 'org' | 'site' | 'device'
  path: string
  id: string
  orgId: string
  name: string
  deviceCount?: number
  status?: DeviceStatus
}

export interface Branch {
  places: Place[]
  total: number
}

export const branchSize = 50

export const orgPath = (orgId: string) => `org:${orgId}`

/** What lies below a path: `root` is `all`, or the only organization there is. */
export function branchQuery(path: string, page: number) {
  const [kind, orgId = '', siteId = ''] = path.split(':')
  if (kind === 'site') return devicesOf(siteId, page)
  return kind === 'org' ? sitesOf(orgId, page) : organizations(page)
}

const organizations = (page: number) =>
  queryOptions({
    ...organizationsQuery({ page, limit: branchSize }),
    placeholderData: undefined,
    select: ({ data, pagination }): Branch => ({
      places: data.map(({ id, name, deviceCount }) => ({
        kind: 'org',
        path: orgPath(id),
        id,
        orgId: id,
        name,
        deviceCount,
      })),
      total: pagination.total,
    }),
  })

export const sitesOf = (orgId: string, page: number) =>
  queryOptions({
    queryKey: [...organizationKeys.sites, 'page', { orgId, page }],
    queryFn: ({ signal }) =>
      api.call(listSites, { query: { orgId, page: String(page), limit: String(branchSize) } }, signal),
    select: ({ data, pagination }): Branch => ({
      places: data.map(({ id, name, deviceCount }) => ({
        kind: 'site',
        path: `site:${orgId}:${id}`,
        id,
        orgId,
        name,
        deviceCount,
      })),
      total: pagination.total,
    }),
  })

const devicesOf = (siteId: string, page: number) =>
  queryOptions({
    ...devicesQuery({ siteId, page: String(page), limit: String(branchSize), sort: 'hostname', sortDir: 'asc' }),
    placeholderData: undefined,
    refetchInterval: false,
    select: ({ data, pagination }): Branch => ({
      places: data.map((device) => ({
        kind: 'device',
        path: `device:${device.id}`,
        id: device.id,
        orgId: device.orgId,
        name: nameOf(device),
        status: device.status,
      })),
      total: pagination.total ?? data.length,
    }),
  })
