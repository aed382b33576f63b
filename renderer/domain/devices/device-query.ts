import type { DeviceAttention, DeviceStatus } from '../../../shared/api/devices.ts'
import type { OsType } from '../../../shared/device/inventory.ts'
import type { DeviceQuery } from '../../data/devices.ts'

export interface DeviceFilterSearch {
  search?: string | undefined
  site?: string | undefined
  group?: string | undefined
  status?: DeviceStatus | undefined
  os?: OsType | undefined
  attention?: DeviceAttention | undefined
}

/** The URL parameters of the list. */
export interface DeviceListSearch extends DeviceFilterSearch {
  sort?: DeviceQuery['sort'] | undefined
  dir?: 'asc' | 'desc' | undefined
  page?: number | undefined
  limit?: '25' | '100' | undefined
}

export const defaultDeviceLimit = 50

/** What the list at an address shows. */
export const deviceQueryOf = (search: DeviceListSearch, orgId: string | undefined) =>
  ({
    page: String(search.page ?? 1),
    limit: search.limit ?? String(defaultDeviceLimit),
    sort: search.sort ?? 'hostname',
    sortDir: search.dir ?? 'asc',
    search: search.search,
    orgId,
    siteId: search.site,
    groupIds: search.group,
    status: search.status,
    attention: search.attention,
    osType: search.os,
  }) satisfies DeviceQuery
