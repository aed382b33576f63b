import { z } from 'zod'
import { osType } from '../device/inventory.ts'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, jsonObject, name255, pathId, small, uuid } from '../fields.ts'
import { pageLimit, queryFlag, searchText, toInt } from '../paging.ts'
import { deviceStatus } from './devices.ts'

export const groupType = z.enum(['static', 'dynamic'])
export const memberOrigin = z.enum(['manual', 'dynamic_rule', 'policy'])

export const deviceGroup = z.object({
  id: z.uuid(),
  orgId: z.uuid(),
  siteId: z.uuid().nullable(),
  name: z.string(),
  type: groupType,
  rules: jsonObject.nullable(),
  filterConditions: jsonObject.nullable(),
  filterFieldsUsed: z.array(z.string()),
  parentId: z.uuid().nullable(),
  deviceCount: z.int(),
  createdAt: instant,
  updatedAt: instant,
  /** Only when a list is asked for memberships. */
  deviceIds: z.array(z.uuid()).optional(),
})
export type DeviceGroup = z.infer<typeof deviceGroup>

const member = z.object({
  deviceId: z.uuid(),
  hostname: z.string(),
  displayName: z.string().nullable(),
  status: deviceStatus,
  osType,
  isPinned: z.boolean(),
  addedAt: instant,
  addedBy: memberOrigin,
})
export type GroupMember = z.infer<typeof member>

/** What became of a membership, and why: `filter_match` and `filter_unmatch` are the doing of the rule. */
export const logAction = z.enum(['added', 'removed', 'pinned', 'unpinned'])
export const logReason = z.enum(['manual', 'filter_match', 'filter_unmatch', 'pinned', 'unpinned'])

const logEntry = z.object({
  id: z.int(),
  groupId: z.uuid(),
  deviceId: z.uuid(),
  hostname: z.string(),
  displayName: z.string().nullable(),
  action: logAction,
  reason: logReason,
  /** Nobody where a rule did it, or where the device left because it moved to another site. */
  changedBy: z.uuid().nullable(),
  changedByName: z.string().nullable(),
  createdAt: instant,
})
export type MembershipLogEntry = z.infer<typeof logEntry>

const read = userAccess('devices:read', { byKey: true })
const write = userAccess('devices:write', { mfa: 'strict' })
const params = z.object({ id: pathId })
const memberParams = z.object({ id: pathId, deviceId: pathId })
const pinned = z.object({ data: z.object({ deviceId: z.uuid(), groupId: z.uuid(), isPinned: z.boolean() }) })
const deviceIds = z.array(uuid).max(10_000)
const rowOffset = z
  .string()
  .optional()
  .transform((text) => Math.max(0, toInt(text) ?? 0))
const foundNow = z.object({
  data: z.object({
    totalCount: z.int(),
    devices: z.array(
      z.object({
        id: z.uuid(),
        hostname: z.string(),
        displayName: z.string().nullable(),
        osType,
        status: deviceStatus,
        lastSeenAt: instant.nullable(),
      }),
    ),
    evaluatedAt: instant,
  }),
})

const fields = {
  siteId: uuid.nullable().optional(),
  type: groupType.optional(),
  /** Of other systems, kept as they are; `filterConditions` decides. */
  rules: small(jsonObject).nullable().optional(),
  /** Looked at by the service: shared/device-filter.ts. */
  filterConditions: small(jsonObject).nullable().optional(),
  parentId: uuid.nullable().optional(),
}

export const newGroup = z.object({
  orgId: uuid.optional(),
  name: name255,
  ...fields,
  deviceIds: deviceIds.optional(),
})
export const groupChanges = z.object({ name: name255.optional(), ...fields })
export const groupMembers = z.object({ deviceIds: deviceIds.min(1) })

const at = (path: string) => ({ path: `/device-groups${path}`, alias: `/groups${path}` })

export const listDeviceGroups = endpoint({
  name: 'device-groups.list',
  method: 'GET',
  ...at(''),
  summary: 'Device groups in reach, the newest first',
  access: read,
  query: z.object({
    orgId: uuid.optional(),
    siteId: uuid.optional(),
    type: groupType.optional(),
    parentId: uuid.optional(),
    search: searchText.trim().optional(),
    includeMemberships: queryFlag.optional(),
  }),
  reply: z.object({ data: z.array(deviceGroup), total: z.int() }),
})

export const createDeviceGroup = endpoint({
  name: 'device-groups.create',
  method: 'POST',
  ...at(''),
  summary: 'Create a group; a dynamic one is filled before the answer',
  access: write,
  query: z.object({ orgId: uuid.optional() }),
  body: newGroup,
  status: 201,
  reply: z.object({ data: deviceGroup }),
  audit: 'device_group.create',
})

export const readDeviceGroup = endpoint({
  name: 'device-groups.read',
  method: 'GET',
  ...at('/:id'),
  summary: 'One device group',
  access: read,
  params,
  reply: z.object({ data: deviceGroup }),
})

export const updateDeviceGroup = endpoint({
  name: 'device-groups.update',
  method: 'PATCH',
  ...at('/:id'),
  summary: 'Change a group; devices outside of a new site leave it',
  access: write,
  params,
  body: groupChanges,
  reply: z.object({ data: deviceGroup }),
  audit: 'device_group.update',
})

export const listGroupDevices = endpoint({
  name: 'device-groups.devices',
  method: 'GET',
  ...at('/:id/devices'),
  summary: 'The devices of a group, by name',
  access: read,
  params,
  reply: z.object({ data: z.array(member), total: z.int() }),
})

export const addGroupDevices = endpoint({
  name: 'device-groups.add-devices',
  method: 'POST',
  ...at('/:id/devices'),
  summary: 'Add devices to a static group: all of them or none',
  access: write,
  params,
  body: groupMembers,
  status: 201,
  reply: z.object({ data: z.object({ added: z.int(), skipped: z.int(), total: z.int() }) }),
  audit: 'device_group.device.add',
})

export const previewDeviceGroup = endpoint({
  name: 'device-groups.preview',
  method: 'POST',
  ...at('/:id/preview'),
  summary: 'Which devices the rule of a dynamic group finds now; writes nothing',
  access: read,
  params,
  query: z.object({ limit: pageLimit(10, 100) }),
  reply: foundNow,
})

export const previewGroupRule = endpoint({
  name: 'device-groups.preview-rule',
  method: 'POST',
  ...at('/preview'),
  summary: 'Which devices a rule would find now, before a group is saved with it; writes nothing',
  access: read,
  query: z.object({ limit: pageLimit(10, 100) }),
  body: z.object({ orgId: uuid, siteId: uuid.nullable().optional(), filterConditions: small(jsonObject) }),
  reply: foundNow,
})

export const membershipLog = endpoint({
  name: 'device-groups.membership-log',
  method: 'GET',
  ...at('/:id/membership-log'),
  summary: 'How devices came into a group and left it, the latest first; of ninety days at most',
  access: read,
  params,
  query: z.object({
    deviceId: uuid.optional(),
    action: logAction.optional(),
    limit: pageLimit(50, 500),
    offset: rowOffset,
  }),
  reply: z.object({ data: z.array(logEntry), total: z.int(), limit: z.int(), offset: z.int() }),
})

export const pinGroupDevice = endpoint({
  name: 'device-groups.pin',
  method: 'POST',
  ...at('/:id/devices/:deviceId/pin'),
  summary: 'Keep a device in a dynamic group whatever its rule says',
  access: write,
  params: memberParams,
  reply: pinned,
  audit: 'device_group.device.pin',
})

export const unpinGroupDevice = endpoint({
  name: 'device-groups.unpin',
  method: 'DELETE',
  ...at('/:id/devices/:deviceId/pin'),
  summary: 'Let the rule of a dynamic group decide about a device again',
  access: write,
  params: memberParams,
  reply: pinned,
  audit: 'device_group.device.unpin',
})

export const removeGroupDevice = endpoint({
  name: 'device-groups.remove-device',
  method: 'DELETE',
  ...at('/:id/devices/:deviceId'),
  summary: 'Take a device out of a static group',
  access: write,
  params: memberParams,
  reply: z.object({ data: z.object({ deviceId: z.uuid(), groupId: z.uuid(), removed: z.literal(true) }) }),
  audit: 'device_group.device.remove',
})

export const deleteDeviceGroup = endpoint({
  name: 'device-groups.delete',
  method: 'DELETE',
  ...at('/:id'),
  summary: 'Delete a group that has no groups below it; its devices stay',
  access: write,
  params,
  reply: z.object({ data: deviceGroup }),
  audit: 'device_group.delete',
})
