export const systemActions = {
  'platform_admin.jobs.run': 'Ran a background job',
  'platform_admin.tasks.retry': 'Tried a background task again',
  'platform_admin.tasks.cancel': 'Canceled a background task',
  'system.ca.rotate': 'Replaced the certificate authority',
} as const
