export const devicesActions = {
  'device.update': 'Changed a device',
  'device.decommission': 'Decommissioned a device',
  'device.restore': 'Restored a device',
  'device.permanent_delete': 'Deleted a device for good',
  'device.maintenance.enable': 'Put a device into maintenance',
  'device.maintenance.disable': 'Ended the maintenance of a device',
  'device.agent_token.rotate': 'Replaced the token of an agent',
  'admin.device.approve': 'Approved a device',
  'admin.device.deny': 'Refused a device',
} as const
