import type { Refusals } from './refusals.ts'

export const deviceGroupsErrors = {
  group_site_invalid: {
    status: 400,
    error: 'Site not found or belongs to different organization',
    onScreen: 'That site doesn’t belong to the organization.',
  },
  group_parent_missing: {
    status: 400,
    error: 'Parent group not found',
    onScreen: 'The parent group no longer exists.',
  },
  group_parent_elsewhere: { status: 400, error: 'Parent group must belong to the same organization', onScreen: null },
  group_parent_itself: { status: 400, error: 'Group cannot be its own parent', onScreen: null },
  group_parent_below: {
    status: 400,
    error: 'Parent group must not be a descendant',
    onScreen: 'A group can’t be inside one of its own subgroups.',
  },
  group_has_children: {
    status: 400,
    error: 'Cannot delete group with child groups',
    onScreen: 'Other groups are inside this one. Move or delete them first.',
  },
  group_filter_invalid: {
    status: 400,
    error: 'Invalid filter conditions',
    onScreen: 'The group’s rule is invalid.',
  },
  group_list_too_large: {
    status: 400,
    error: 'Too many memberships for one answer; ask for fewer groups',
    onScreen: null,
  },
  group_is_dynamic: {
    status: 400,
    error: 'Cannot manually add devices to a dynamic group',
    onScreen: 'This group is filled by its rule. Pin a device to keep it in the group.',
  },
  group_members_by_rule: {
    status: 400,
    error: 'Cannot manually remove devices from a dynamic group',
    onScreen: 'This group is filled by its rule. Change the rule to remove a device.',
  },
  group_is_static: {
    status: 400,
    error: 'Only dynamic groups have this',
    onScreen: 'This group has no rule: devices are added manually.',
  },
  group_devices_invalid: {
    status: 400,
    error: 'Devices not found, or not in the organization and site of the group',
    onScreen: 'Some of these devices don’t belong to the group’s organization or site.',
  },
  group_access_denied: { status: 403, error: 'Access to this group denied', onScreen: null },
  group_not_found: { status: 404, error: 'Group not found', onScreen: null },
  group_member_not_found: { status: 404, error: 'Device is not a member of this group', onScreen: null },
} as const satisfies Refusals
