export const systemActions = {
  'platform_admin.jobs.run': 'Ran a background job',
  'platform_admin.tasks.retry': 'Retried a background task',
  'platform_admin.tasks.cancel': 'Canceled a background task',
  'platform_admin.backup.download': 'Downloaded a backup of the appliance',
  'platform_admin.registration': 'Changed who can register companies',
  'platform_admin.public_address': 'Changed the public address of the appliance',
  'system.ca.rotate': 'Rotated the certificate authority',
} as const
