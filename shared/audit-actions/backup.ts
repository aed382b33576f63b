export const backupActions = {
  'backup.config.create': 'Added backup storage',
  'backup.config.update': 'Changed backup storage',
  'backup.config.delete': 'Removed backup storage',
  'backup.config.test': 'Tested backup storage',
  'backup.job.run': 'Started a backup',
  'backup.job.run_all': 'Started backups of all protected devices',
  'backup.job.cancel': 'Canceled a backup',
  'backup.restore.create': 'Started a restore',
  'backup.restore.cancel': 'Canceled a restore',
  'backup.profile.create': 'Created a backup profile',
  'backup.profile.update': 'Changed a backup profile',
  'backup.profile.delete': 'Deleted a backup profile',
} as const
