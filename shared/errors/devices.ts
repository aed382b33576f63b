import type { Refusals } from './refusals.ts'

export const devicesErrors = {
  device_already_decommissioned: { status: 400, error: 'Device is already decommissioned', onScreen: null },
  device_not_decommissioned: { status: 400, error: 'Only decommissioned devices can be restored', onScreen: null },
  device_must_be_decommissioned: { status: 400, error: 'Device must be decommissioned first', onScreen: null },
  device_not_quarantined: { status: 400, error: 'Device is not quarantined', onScreen: null },
  target_site_invalid: {
    status: 400,
    error: 'Target site not found or belongs to a different organization',
    onScreen: null,
  },
  device_tags_full: {
    status: 400,
    error: 'A device has at most 100 tags',
    onScreen: 'A device can have at most 100 tags.',
  },
  device_unchanged: { status: 409, error: 'There is nothing to change', onScreen: 'Nothing to change.' },
  device_already_there: { status: 400, error: 'Device is already at this site', onScreen: null },
  device_quarantined: { status: 403, error: 'Device is quarantined pending admin approval', onScreen: null },
  device_decommissioned: { status: 403, error: 'Device has been decommissioned', onScreen: null },
  DEVICE_LIMIT_REACHED: { status: 403, error: 'Device limit reached', onScreen: null },
  device_not_found: { status: 404, error: 'Device not found', onScreen: null },
} as const satisfies Refusals
