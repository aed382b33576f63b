import type { Refusals } from './refusals.ts'

export const backupSlaErrors = {
  sla_config_not_found: { status: 404, error: 'SLA config not found', onScreen: 'This SLA no longer exists.' },
  sla_target_unknown: {
    status: 400,
    error: 'Target devices and groups must be of the organization',
    onScreen: 'One of the devices or groups isn’t in this organization.',
  },
} as const satisfies Refusals
