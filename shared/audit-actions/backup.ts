export const backupActions = {
  'backup.config.create': 'Added backup storage',
  'backup.config.update': 'Changed backup storage',
  'backup.config.delete': 'Removed backup storage',
} as const
