export const devicesErrors = {
  device_already_decommissioned: { status: 400, error: 'Device is already decommissioned' },
  device_not_decommissioned: { status: 400, error: 'Only decommissioned devices can be restored' },
  device_must_be_decommissioned: { status: 400, error: 'Device must be decommissioned first' },
  device_not_quarantined: { status: 400, error: 'Device is not quarantined' },
  target_site_invalid: { status: 400, error: 'Target site not found or belongs to a different organization' },
  device_quarantined: { status: 403, error: 'Device is quarantined pending admin approval' },
  device_decommissioned: { status: 403, error: 'Device has been decommissioned' },
  DEVICE_LIMIT_REACHED: { status: 403, error: 'Device limit reached' },
  device_not_found: { status: 404, error: 'Device not found' },
} as const
