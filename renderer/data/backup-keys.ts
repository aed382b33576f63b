/** Query keys of what backups are about; they hang together, and a change of one shows in others. */
export const backupKeys = {
  all: ['backup'] as const,
  encryptionKeys: ['backup', 'encryption-keys'] as const,
  storages: ['backup', 'storages'] as const,
  policies: ['backup', 'policies'] as const,
  profiles: ['backup', 'profiles'] as const,
  effective: ['backup', 'effective'] as const,
  jobs: ['backup', 'jobs'] as const,
  job: (id: string) => ['backup', 'job', id] as const,
  restores: ['backup', 'restores'] as const,
  restore: (id: string) => ['backup', 'restore', id] as const,
  snapshots: ['backup', 'snapshots'] as const,
  maintenance: ['backup', 'maintenance'] as const,
  comparison: ['backup', 'comparison'] as const,
  reports: ['backup', 'reports'] as const,
  vaults: ['backup', 'vaults'] as const,
  verifications: ['backup', 'verifications'] as const,
  unusualChanges: ['backup', 'unusual-changes'] as const,
  /** Of one snapshot or two, which never change. */
  files: ['backup', 'files'] as const,
}
