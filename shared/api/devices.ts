import { z } from 'zod'
import {
  adapter,
  connection,
  deviceRole,
  diskVolume,
  hardware,
  installedSoftware,
  osType,
  vpn,
} from '../device/inventory.ts'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, jsonObject, ok, pathId, small, uuid } from '../fields.ts'
import { pageLimit, pageNumber, pagination, queryFlag, searchText, toInt, uuidList } from '../paging.ts'
import { severalDevices, withRefused } from './several-devices.ts'

export const deviceStatus = z.enum([
  'online',
  'offline',
  'updating',
  'maintenance',
  'pending',
  'quarantined',
  'decommissioned',
])
export type DeviceStatus = z.infer<typeof deviceStatus>

const read = userAccess('devices:read', { byKey: true })
const write = userAccess('devices:write', { mfa: 'session' })
const deviceParams = z.object({ id: pathId })

const hardwareSummary = z.object({
  manufacturer: z.string().nullable(),
  model: z.string().nullable(),
  serialNumber: z.string().nullable(),
  cpuModel: z.string().nullable(),
  cpuCores: z.int().nullable(),
  ramTotalMb: z.int().nullable(),
  diskTotalGb: z.number().nullable(),
})

/** A row of the device list. Keys of the public API that the appliance has no source for yet are null. */
export const deviceRow = z.object({
  id: z.uuid(),
  orgId: z.uuid(),
  orgName: z.string(),
  siteId: z.uuid(),
  siteName: z.string(),
  agentId: z.string(),
  hostname: z.string(),
  displayName: z.string().nullable(),
  osType,
  deviceRole,
  deviceRoleSource: z.enum(['auto', 'manual']),
  osVersion: z.string().nullable(),
  osBuild: z.string().nullable(),
  architecture: z.string().nullable(),
  agentVersion: z.string().nullable(),
  watchdogVersion: z.string().nullable(),
  agentServerUrl: z.string().nullable(),
  isVirtual: z.boolean(),
  virtualizationPlatform: z.string().nullable(),
  status: deviceStatus,
  watchdogStatus: z.string().nullable(),
  mainAgentSilentSince: instant.nullable(),
  pendingReboot: z.boolean(),
  lastSeenAt: instant.nullable(),
  wanIp: z.string().nullable(),
  lanIp: z.string().nullable(),
  enrolledAt: instant.nullable(),
  tags: z.array(z.string()),
  customFields: jsonObject,
  lastUser: z.string().nullable(),
  uptimeSeconds: z.int().nullable(),
  isHeadless: z.boolean().nullable(),
  possibleReplacementOfDeviceId: z.uuid().nullable(),
  maintenanceUntil: instant.nullable(),
  desktopAccess: z.null(),
  batteryStatus: z.unknown().nullable(),
  activeVpns: z.null(),
  linkGroupId: z.null(),
  linkGroupRole: z.null(),
  reliabilityScore: z.null(),
  reliabilityTrend: z.null(),
  helperLifecycleMode: z.null(),
  cpuPercent: z.number().nullable(),
  ramPercent: z.number().nullable(),
  /** Of its fullest disk. */
  diskPercent: z.number().nullable(),
  hardware: hardwareSummary.nullable(),
  metrics: z.object({ cpuPercent: z.number(), ramPercent: z.number(), timestamp: instant }).nullable(),
  createdAt: instant,
  updatedAt: instant,
})
export type DeviceRow = z.infer<typeof deviceRow>

/** In the list also with the names of those of its groups that the reader may see. */
const listedDevice = deviceRow.extend({ groupNames: z.array(z.string()) })
export type ListedDevice = z.infer<typeof listedDevice>

export const metricPoint = z.object({
  timestamp: instant,
  cpu: z.number(),
  ram: z.number(),
  ramUsedMb: z.number(),
  disk: z.number(),
  diskUsedGb: z.number(),
  diskActivityAvailable: z.boolean().nullable(),
  diskReadBytes: z.number().nullable(),
  diskWriteBytes: z.number().nullable(),
  diskReadBps: z.number().nullable(),
  diskWriteBps: z.number().nullable(),
  diskReadOps: z.number().nullable(),
  diskWriteOps: z.number().nullable(),
  networkIn: z.number().nullable(),
  networkOut: z.number().nullable(),
  bandwidthInBps: z.number().nullable(),
  bandwidthOutBps: z.number().nullable(),
  processCount: z.number().nullable(),
})
export type MetricPoint = z.infer<typeof metricPoint>

const networkInterface = adapter.extend({ isPrimary: z.boolean() })

export const deviceDetail = deviceRow.omit({ hardware: true }).extend({
  siteTimezone: z.string(),
  hardware: hardware.nullable(),
  networkInterfaces: z.array(networkInterface),
  recentMetrics: z.array(metricPoint),
  groups: z.array(
    z.object({
      groupId: z.uuid(),
      groupName: z.string(),
      groupType: z.enum(['static', 'dynamic']),
      addedAt: instant,
      addedBy: z.enum(['manual', 'dynamic_rule', 'policy']),
    }),
  ),
  isConnected: z.boolean(),
  /** The key the device last enrolled with; null when it is deleted or out of the reader's reach. */
  enrollmentKey: z.object({ id: z.uuid(), name: z.string() }).nullable(),
  quarantinedAt: instant.nullable(),
  quarantinedReason: z.string().nullable(),
  remoteAccessPolicy: z.null(),
  hasRemoteAccessLauncher: z.literal(false),
  remoteAccessLaunchSkipReason: z.null(),
})
export type DeviceDetail = z.infer<typeof deviceDetail>

/** Why somebody should look at a device. */
export const deviceAttention = z.enum(['went_offline', 'disk_full', 'command_failed', 'restart_pending'])
export type DeviceAttention = z.infer<typeof deviceAttention>
/** From how full a disk on, in percent, a device needs attention. */
export const diskFullPercent = 90
/** For how long a device that went offline, or a command that failed, needs attention. */
export const attentionHours = 24

export const deviceSort = z.enum(['hostname', 'lastSeen', 'enrolled'])

export const listDevices = endpoint({
  name: 'devices.list',
  method: 'GET',
  path: '/devices',
  summary: 'Devices in reach: by page when `page` is given, else by cursor',
  access: read,
  query: z.object({
    page: z
      .string()
      .transform((text) => Math.max(1, toInt(text) ?? 1))
      .optional(),
    limit: pageLimit(500, 1000),
    cursor: z.string().max(500).optional(),
    sort: deviceSort.optional(),
    sortDir: z.enum(['asc', 'desc']).optional(),
    includeTotal: queryFlag.optional(),
    orgId: uuid.optional(),
    orgIds: uuidList.optional(),
    siteId: uuid.optional(),
    siteIds: uuidList.optional(),
    groupIds: uuidList.optional(),
    status: deviceStatus.optional(),
    includeDecommissioned: queryFlag.optional(),
    osType: osType.optional(),
    role: deviceRole.optional(),
    attention: deviceAttention.optional(),
    /** In names, addresses, user, serial number, model, manufacturer and tags. */
    search: searchText.trim().optional(),
  }),
  reply: z.object({
    data: z.array(listedDevice),
    pagination: z.object({
      page: z.int().optional(),
      limit: z.int(),
      total: z.int().optional(),
      nextCursor: z.string().nullable().optional(),
    }),
    sort: z.object({ by: deviceSort, dir: z.enum(['asc', 'desc']) }).optional(),
  }),
})

/** Of a CSV file, in this order. */
export const deviceColumns = [
  'id',
  'hostname',
  'displayName',
  'organization',
  'site',
  'status',
  'osType',
  'osVersion',
  'lanIp',
  'wanIp',
  'lastSeenAt',
  'lastUser',
  'manufacturer',
  'model',
  'serialNumber',
  'cpuModel',
  'ramTotalMb',
  'diskTotalGb',
  'diskPercent',
  'tags',
  'groups',
  'agentVersion',
  'enrolledAt',
] as const
export type DeviceColumn = (typeof deviceColumns)[number]

export const exportDevices = endpoint({
  name: 'devices.export',
  method: 'POST',
  path: '/devices/export',
  summary: 'Devices as a CSV file: those named, or all that match the filters of the list',
  access: read,
  body: z
    .object({
      deviceIds: severalDevices.deviceIds.optional(),
      filters: z
        .object({
          orgId: uuid.optional(),
          siteId: uuid.optional(),
          groupIds: z.array(uuid).max(500).optional(),
          status: deviceStatus.optional(),
          includeDecommissioned: z.boolean().optional(),
          osType: osType.optional(),
          role: deviceRole.optional(),
          attention: deviceAttention.optional(),
          search: searchText.trim().optional(),
        })
        .optional(),
      sort: deviceSort.default('hostname'),
      sortDir: z.enum(['asc', 'desc']).default('asc'),
    })
    .prefault({}),
  reply: z.unknown(),
  content: 'text/csv',
  audit: 'devices.export',
})

export const deviceStats = endpoint({
  name: 'devices.stats',
  method: 'GET',
  path: '/devices/stats',
  summary: 'How many devices, by status; of one organization when it is named',
  access: read,
  query: z.object({ orgId: uuid.optional() }),
  reply: z.object({
    data: z.object({
      total: z.int(),
      online: z.int(),
      offline: z.int(),
      byStatus: z.record(z.string(), z.int()),
      migrationRequiredCount: z.int(),
    }),
  }),
})

export const readDevice = endpoint({
  name: 'devices.read',
  method: 'GET',
  path: '/devices/:id',
  summary: 'One device with hardware, network and the last day of metrics',
  access: read,
  params: deviceParams,
  reply: deviceDetail,
})

export const maxTags = 100
const tags = z.array(z.string().trim().min(1).max(100)).max(maxTags)

export const updateDevice = endpoint({
  name: 'devices.update',
  method: 'PATCH',
  path: '/devices/:id',
  summary: 'Rename, tag or move a device within its organization',
  access: write,
  params: deviceParams,
  body: z.object({
    displayName: z.string().trim().max(255).nullable().optional(),
    siteId: uuid.optional(),
    tags: tags.optional(),
    customFields: small(jsonObject).optional(),
    deviceRole: deviceRole.optional(),
  }),
  reply: deviceRow,
  audit: 'device.update',
})

export const decommissionDevice = endpoint({
  name: 'devices.decommission',
  method: 'DELETE',
  path: '/devices/:id',
  summary: 'Decommission a device: its credentials stop working, its record stays',
  access: userAccess('devices:delete', { mfa: 'session' }),
  params: deviceParams,
  reply: z.object({ success: z.literal(true), device: deviceRow }),
  audit: 'device.decommission',
})

export const restoreDevice = endpoint({
  name: 'devices.restore',
  method: 'POST',
  path: '/devices/:id/restore',
  summary: 'Restore a decommissioned device',
  access: write,
  params: deviceParams,
  reply: z.object({ success: z.literal(true), device: deviceRow }),
  audit: 'device.restore',
})

export const deleteDevicePermanently = endpoint({
  name: 'devices.delete-permanently',
  method: 'DELETE',
  path: '/devices/:id/permanent',
  summary: 'Erase a decommissioned device and everything recorded of it',
  access: userAccess('devices:delete', { mfa: 'session' }),
  params: deviceParams,
  reply: z.object({ success: z.literal(true), agentUninstallSent: z.boolean(), warning: z.string().optional() }),
  audit: 'device.permanent_delete',
})

export const moveDeviceToOrganization = endpoint({
  name: 'devices.move-organization',
  method: 'POST',
  path: '/devices/:id/move-org',
  summary: 'Move a device to a site of another organization of its company, with its history; its agent goes on',
  access: write,
  params: deviceParams,
  body: z.object({ orgId: uuid, siteId: uuid }),
  reply: z.object({ success: z.literal(true), device: deviceRow }),
  audit: 'device.move',
})

export const moveDevices = endpoint({
  name: 'devices.move-many',
  method: 'POST',
  path: '/devices/bulk/move',
  summary:
    'Move devices to a site; with `orgId` also devices of other organizations. One that is refused stops no other',
  access: write,
  body: z.object({ orgId: uuid.optional(), siteId: uuid }).extend(severalDevices),
  reply: z.object({ moved: z.array(z.uuid()), ...withRefused }),
  audit: 'device.move',
})

const maintain = userAccess('devices:write', { byKey: true })
const maintenanceWindow = z.object({ enable: z.boolean(), durationHours: z.int().min(1).max(168).optional() })

export const setDeviceMaintenance = endpoint({
  name: 'devices.maintenance',
  method: 'POST',
  path: '/devices/:id/maintenance',
  summary: 'Begin or end a maintenance window',
  access: maintain,
  params: deviceParams,
  body: maintenanceWindow,
  reply: z.object({ success: z.literal(true), device: deviceRow }),
  audit: 'device.maintenance',
})

const changedDevices = z.object({ changed: z.array(z.uuid()), ...withRefused })

export const setDevicesMaintenance = endpoint({
  name: 'devices.maintenance-several',
  method: 'POST',
  path: '/devices/bulk/maintenance',
  summary: 'Begin or end a maintenance window of several devices; says of each device left as it was why',
  access: maintain,
  body: maintenanceWindow.extend(severalDevices),
  reply: changedDevices,
  audit: 'device.maintenance',
})

export const changeDeviceTags = endpoint({
  name: 'devices.tag-several',
  method: 'POST',
  path: '/devices/bulk/tags',
  summary: 'Add tags to several devices and remove others; the other tags of each device stay',
  access: write,
  body: z
    .object({ ...severalDevices, add: tags.optional(), remove: tags.optional() })
    .refine(({ add = [], remove = [] }) => add.length + remove.length > 0, {
      path: ['add'],
      message: 'Specify a tag to add or remove',
    }),
  reply: changedDevices,
  audit: 'device.update',
})

export const deviceHardware = endpoint({
  name: 'devices.hardware',
  method: 'GET',
  path: '/devices/:id/hardware',
  summary: 'Hardware, disks and network interfaces',
  access: read,
  params: deviceParams,
  reply: z.object({
    hardware: hardware.nullable(),
    diskDrives: z.array(diskVolume),
    networkInterfaces: z.array(networkInterface),
  }),
})

export const deviceDisks = endpoint({
  name: 'devices.disks',
  method: 'GET',
  path: '/devices/:id/disks',
  summary: 'Disk volumes',
  access: read,
  params: deviceParams,
  reply: z.object({ data: z.array(diskVolume) }),
})

export const deviceNetwork = endpoint({
  name: 'devices.network',
  method: 'GET',
  path: '/devices/:id/network',
  summary: 'Network interfaces and VPNs',
  access: read,
  params: deviceParams,
  reply: z.object({ data: z.array(networkInterface), vpns: z.array(vpn) }),
})

export const deviceConnections = endpoint({
  name: 'devices.connections',
  method: 'GET',
  path: '/devices/:id/connections',
  summary: 'Open network connections at the last report',
  access: read,
  params: deviceParams,
  reply: z.object({ data: z.array(connection) }),
})

export const deviceSoftware = endpoint({
  name: 'devices.software',
  method: 'GET',
  path: '/devices/:id/software',
  summary: 'Installed software',
  access: read,
  params: deviceParams,
  query: z.object({
    page: pageNumber,
    limit: pageLimit(100, 500),
    search: searchText.trim().optional(),
  }),
  reply: z.object({ data: z.array(installedSoftware), thirdPartyUpdatesManaged: z.literal(false), pagination }),
})

export const metricRanges = ['1h', '6h', '24h', '7d', '30d'] as const
export const deviceMetrics = endpoint({
  name: 'devices.metrics',
  method: 'GET',
  path: '/devices/:id/metrics',
  summary: 'Metrics over a range, averaged per interval',
  access: read,
  params: deviceParams,
  query: z.object({
    range: z.enum(metricRanges).optional(),
    startDate: z.iso.datetime({ offset: true }).optional(),
    endDate: z.iso.datetime({ offset: true }).optional(),
    interval: z.enum(['1m', '5m', '1h', '1d']).optional(),
  }),
  reply: z.object({
    data: z.array(metricPoint),
    metrics: z.array(metricPoint),
    interval: z.string(),
    startDate: instant,
    endDate: instant,
    timezone: z.string(),
  }),
})

export const listQuarantinedDevices = endpoint({
  name: 'devices.quarantined',
  method: 'GET',
  path: '/agents/quarantined',
  summary: 'Devices waiting for approval',
  access: read,
  reply: z.object({
    devices: z.array(
      z.object({
        id: z.uuid(),
        agentId: z.string(),
        hostname: z.string(),
        osType,
        quarantinedAt: instant.nullable(),
        quarantinedReason: z.string().nullable(),
      }),
    ),
  }),
})

export const approveDevice = endpoint({
  name: 'devices.approve',
  method: 'POST',
  path: '/agents/:deviceId/approve',
  summary: 'Approve a quarantined device',
  access: userAccess('devices:write', { byKey: true }),
  params: z.object({ deviceId: pathId }),
  reply: z.object({ success: z.literal(true), mtls: z.null() }),
  audit: 'admin.device.approve',
})

export const denyDevice = endpoint({
  name: 'devices.deny',
  method: 'POST',
  path: '/agents/:deviceId/deny',
  summary: 'Reject a quarantined device: it is decommissioned',
  access: userAccess('devices:write', { byKey: true }),
  params: z.object({ deviceId: pathId }),
  reply: ok,
  audit: 'admin.device.deny',
})

export const rotateDeviceToken = endpoint({
  name: 'devices.rotate-token',
  method: 'POST',
  path: '/devices/:id/agent-token/rotate',
  summary: 'Replace the tokens of agent, watchdog and helper; the new ones are put on the machine by hand',
  access: write,
  params: deviceParams,
  reply: z.object({
    deviceId: z.uuid(),
    agentId: z.string(),
    authToken: z.string(),
    watchdogAuthToken: z.string(),
    helperAuthToken: z.string(),
  }),
  audit: 'device.agent_token.rotate',
})
