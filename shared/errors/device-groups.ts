import type { Refusals } from './refusals.ts'

export const deviceGroupsErrors = {
  group_site_invalid: {
    status: 400,
    error: 'Site not found or belongs to different organization',
    onScreen: 'That site does not belong to the organization.',
  },
  group_parent_missing: {
    status: 400,
    error: 'Parent group not found',
    onScreen: 'The group above it does not exist any more.',
  },
  group_parent_elsewhere: { status: 400, error: 'Parent group must belong to the same organization', onScreen: null },
  group_parent_itself: { status: 400, error: 'Group cannot be its own parent', onScreen: null },
  group_parent_below: {
    status: 400,
    error: 'Parent group must not be a descendant',
    onScreen: 'A group can not stand below one of its own groups.',
  },
  group_has_children: {
    status: 400,
    error: 'Cannot delete group with child groups',
    onScreen: 'Other groups stand below this one. Move or delete them first.',
  },
  group_filter_invalid: {
    status: 400,
    error: 'Invalid filter conditions',
    onScreen: 'The rule of the group can not be read.',
  },
  group_list_too_large: {
    status: 400,
    error: 'Too many memberships for one answer; ask for fewer groups',
    onScreen: null,
  },
  group_is_dynamic: {
    status: 400,
    error: 'Cannot manually add devices to a dynamic group',
    onScreen: 'This group fills itself by its rule. Pin a device to keep it in.',
  },
  group_members_by_rule: {
    status: 400,
    error: 'Cannot manually remove devices from a dynamic group',
    onScreen: 'This group fills itself by its rule. Change the rule to take a device out.',
  },
  group_is_static: {
    status: 400,
    error: 'Only dynamic groups have this',
    onScreen: 'This group has no rule: its devices are put in by hand.',
  },
  group_devices_invalid: {
    status: 400,
    error: 'Devices not found, or not in the organization and site of the group',
    onScreen: 'Some of these devices do not belong to the organization or site of the group.',
  },
  group_access_denied: { status: 403, error: 'Access to this group denied', onScreen: null },
  group_not_found: { status: 404, error: 'Group not found', onScreen: null },
  group_member_not_found: { status: 404, error: 'Device is not a member of this group', onScreen: null },
} as const satisfies Refusals
