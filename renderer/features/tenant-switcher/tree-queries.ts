import { queryOptions } from '@tanstack/react-query'
import type { DeviceGroup } from '../../../shared/api/device-groups.ts'
import type { DeviceStatus } from '../../../shared/api/devices.ts'
import { deviceGroupsReplyQuery, groupDevicesQuery } from '../../data/device-groups.ts'
import { devicesQuery } from '../../data/devices.ts'
import { type OrganizationRow, organizationsQuery } from '../../data/organizations.ts'
import { sitesPageQuery } from '../../data/sites.ts'
import { deviceName } from '../../domain/devices/device-labels.ts'
import { exactTime } from '../../lib/format.ts'

/** A node of the tree. Its unique `path` says what is below it: `all`, `org:…`, `site:…:…`. */
export interface TreeNode {
  kind: 'org' | 'site' | 'group' | 'device'
  path: string
  id: string
  orgId: string
  name: string
  deviceCount?: number
  /** Distinguishes it from others of the same name. */
  distinction?: string
  status?: DeviceStatus
  /** Of an organization. */
  isSuspended?: boolean
}

export interface TreeNodePage {
  nodes: TreeNode[]
  total: number
}

export const nodesPerPage = 50

export const organizationPath = (orgId: string) => `org:${orgId}`

/** Whether a path can have children; devices and "more" rows cannot. */
export const isExpandable = (path: string): boolean => /^(org|site|group):/.test(path)

/** The groups directly below a path; not paged, because they are few. */
export function childGroupsQuery(path: string) {
  const [kind, orgId = '', id = ''] = path.split(':')
  return queryOptions({
    ...deviceGroupsReplyQuery(orgId),
    select: ({ data }): TreeNodePage => {
      const nodes = data.filter((group) => isRightBelow(group, kind, id)).map(groupNode)
      return { nodes, total: nodes.length }
    },
  })
}

function isRightBelow({ parentId, siteId }: DeviceGroup, kind: string | undefined, id: string): boolean {
  if (kind === 'group') return parentId === id
  return parentId === null && siteId === (kind === 'site' ? id : null)
}

const groupNode = ({ id, orgId, name, deviceCount }: DeviceGroup): TreeNode => ({
  kind: 'group',
  path: `group:${orgId}:${id}`,
  id,
  orgId,
  name,
  deviceCount,
})

/** The other children of a path, by page. The root is `all` or the only organization. */
export function childrenQuery(path: string, page: number) {
  const [kind, orgId = '', id = ''] = path.split(':')
  if (kind === 'site') return devicesOf(id, page)
  if (kind === 'group') return membersOf(id, orgId, page)
  return kind === 'org' ? siteNodesQuery(orgId, page) : organizations(page)
}

type OrganizationFacts = Pick<OrganizationRow, 'id' | 'name'> &
  Partial<Pick<OrganizationRow, 'status'>> & { slug?: string | undefined; deviceCount?: number }

export const organizationNode = ({ id, name, slug, deviceCount, status }: OrganizationFacts): TreeNode => ({
  kind: 'org',
  path: organizationPath(id),
  id,
  orgId: id,
  name,
  ...(slug !== undefined && { distinction: slug }),
  ...(deviceCount !== undefined && { deviceCount }),
  isSuspended: status === 'suspended',
})

const organizations = (page: number) =>
  queryOptions({
    ...organizationsQuery({ page, limit: nodesPerPage }),
    placeholderData: undefined,
    select: ({ data, pagination }): TreeNodePage => ({
      nodes: data.map(organizationNode),
      total: pagination.total,
    }),
  })

export const siteNodesQuery = (orgId: string, page: number) =>
  queryOptions({
    ...sitesPageQuery(orgId, page, nodesPerPage),
    select: ({ data, pagination }): TreeNodePage => ({
      nodes: data.map(({ id, name, deviceCount, createdAt }) => ({
        kind: 'site',
        path: `site:${orgId}:${id}`,
        id,
        orgId,
        name,
        deviceCount,
        distinction: `since ${exactTime(createdAt)}`,
      })),
      total: pagination.total,
    }),
  })

const devicesOf = (siteId: string, page: number) =>
  queryOptions({
    ...devicesQuery({ siteId, page: String(page), limit: String(nodesPerPage), sort: 'hostname', sortDir: 'asc' }),
    placeholderData: undefined,
    refetchInterval: false,
    select: ({ data, pagination }): TreeNodePage => ({
      nodes: data.map((device) => ({
        kind: 'device',
        path: `device:${device.id}:${siteId}`,
        id: device.id,
        orgId: device.orgId,
        name: deviceName(device),
        status: device.status,
      })),
      total: pagination.total ?? data.length,
    }),
  })

/** The API returns all members; they are shown by page. */
const membersOf = (groupId: string, orgId: string, page: number) =>
  queryOptions({
    ...groupDevicesQuery(groupId),
    select: ({ data, total }): TreeNodePage => ({
      nodes: data.slice((page - 1) * nodesPerPage, page * nodesPerPage).map((device) => ({
        kind: 'device',
        path: `device:${device.deviceId}:${groupId}`,
        id: device.deviceId,
        orgId,
        name: deviceName(device),
        status: device.status,
      })),
      total,
    }),
  })
