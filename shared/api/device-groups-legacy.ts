import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { ok, pathId, uuid } from '../fields.ts'
import { paged, pageQuery } from '../paging.ts'
import { deviceGroup, groupChanges, groupMembers, newGroup } from './device-groups.ts'

/** Device groups where older scripts look for them, in the shapes they expect. */

const read = userAccess('devices:read', { byKey: true })
const write = userAccess('devices:write', { mfa: 'strict' })
const params = z.object({ id: pathId })

export const listGroupsLegacy = endpoint({
  name: 'device-groups-legacy.list',
  method: 'GET',
  path: '/devices/groups',
  summary: 'The device groups of an organization, page by page (older address)',
  access: read,
  query: z.object({
    /** Asked for by the service, in the words of the older address. */
    orgId: uuid.optional(),
    ...pageQuery,
  }),
  reply: paged(deviceGroup),
})

export const createGroupLegacy = endpoint({
  name: 'device-groups-legacy.create',
  method: 'POST',
  path: '/devices/groups',
  summary: 'Create a group; answers with the group itself (older address)',
  access: write,
  query: z.object({ orgId: uuid.optional() }),
  body: newGroup,
  status: 201,
  reply: deviceGroup,
  audit: 'device_group.create',
})

export const updateGroupLegacy = endpoint({
  name: 'device-groups-legacy.update',
  method: 'PATCH',
  path: '/devices/groups/:id',
  summary: 'Change a group; answers with the group itself (older address)',
  access: write,
  params,
  body: groupChanges,
  reply: deviceGroup,
  audit: 'device_group.update',
})

export const addGroupMembersLegacy = endpoint({
  name: 'device-groups-legacy.add-members',
  method: 'POST',
  path: '/devices/groups/:id/members',
  summary: 'Add devices to a static group: all of them or none (older address)',
  access: write,
  params,
  body: groupMembers,
  reply: ok.extend({ added: z.int() }),
  audit: 'device_group.device.add',
})

export const removeGroupMembersLegacy = endpoint({
  name: 'device-groups-legacy.remove-members',
  method: 'DELETE',
  path: '/devices/groups/:id/members',
  summary: 'Take devices out of a static group; those that are not in it are passed over (older address)',
  access: write,
  params,
  body: groupMembers,
  reply: ok.extend({ removed: z.int() }),
  audit: 'device_group.device.remove',
})

export const deleteGroupLegacy = endpoint({
  name: 'device-groups-legacy.delete',
  method: 'DELETE',
  path: '/devices/groups/:id',
  summary: 'Delete a group that has no groups below it (older address)',
  access: userAccess('devices:delete', { mfa: 'strict' }),
  params,
  reply: ok,
  audit: 'device_group.delete',
})
