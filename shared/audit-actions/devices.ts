export const devicesActions = {
  'device.update': 'Changed a device',
  'device.decommission': 'Decommissioned a device',
  'device.restore': 'Restored a device',
  'device.permanent_delete': 'Permanently deleted a device',
  'device.maintenance.enable': 'Put a device into maintenance',
  'device.maintenance.disable': 'Ended the maintenance of a device',
  'device.agent_token.rotate': 'Rotated an agent token',
  'devices.export': 'Exported devices',
  'admin.device.approve': 'Approved a device',
  'admin.device.deny': 'Rejected a device',
} as const
