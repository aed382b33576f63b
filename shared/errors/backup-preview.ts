import type { Refusals } from './refusals.ts'

export const backupPreviewErrors = {
  backup_preview_offline: {
    status: 409,
    error: 'Device is offline, cannot execute command',
    onScreen: 'The device is offline. Choose one that is online.',
  },
  backup_preview_running: {
    status: 409,
    error: 'Another preview is running on this device',
    onScreen: 'Somebody else is trying a policy on this device. Try again in half a minute.',
  },
  backup_preview_failed: {
    status: 502,
    error: 'The device could not look',
    onScreen: 'The device couldn’t look: {reason}',
  },
  backup_preview_silent: {
    status: 504,
    error: 'The device did not answer',
    onScreen: 'The device didn’t answer. Try again, or choose another one.',
  },
} as const satisfies Refusals
