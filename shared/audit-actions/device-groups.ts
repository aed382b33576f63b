export const deviceGroupsActions = {
  'device_group.create': 'Created a device group',
  'device_group.update': 'Changed a device group',
  'device_group.delete': 'Deleted a device group',
  'device_group.device.add': 'Added devices to a group',
  'device_group.device.remove': 'Removed a device from a group',
  'device_group.device.pin': 'Pinned a device to a group',
  'device_group.device.unpin': 'Unpinned a device from a group',
} as const
