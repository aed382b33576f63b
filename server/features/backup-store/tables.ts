import { table } from '../../db/table.ts'

/** `append`: may add; nothing but a lock can ever be removed. `read`: may add and remove locks only. */
export type StoreMode = 'append' | 'read'

export interface BackupStoreCredentialTable {
  id: string
  repository_id: string
  command_id: string
  mode: StoreMode
  secret_hash: string
  folder: string | null
  created_at: string
  expires_at: string
}

export interface BackupStoreLeftoverTable {
  repository_id: string
  found_at: string
}

export interface BackupForgottenRepositoryTable {
  repository_id: string
}

export interface BackupQuotaTable {
  org_id: string
  bytes: number
  updated_at: string
}

export const backupStoreTables = {
  backup_quotas: table<BackupQuotaTable>({
    writtenBy: ['backup-store'],
    tenancy: { by: 'organization', org: 'org_id' },
    // That of the organization that stays counts.
    merge: { policy: 'leave-for-erasure' },
    erasure: { goWith: 'organization' },
  }),
  backup_store_credentials: table<BackupStoreCredentialTable>({
    writtenBy: ['backup-store'],
    tenancy: { by: 'none', because: 'reached only with the secret itself' },
    merge: { policy: 'follows-parent', parent: 'backup_repositories' },
    erasure: { goWith: 'reference', to: 'backup_repositories' },
  }),
  backup_store_leftovers: table<BackupStoreLeftoverTable>({
    writtenBy: ['backup-store'],
    tenancy: { by: 'none', because: 'names folders whose tenant is not known' },
    merge: { policy: 'none', because: 'belongs to no organization' },
    erasure: { stay: 'names folders that are still to be removed' },
  }),
  // A trigger writes it as well, in the transaction that deletes a repository.
  backup_forgotten_repositories: table<BackupForgottenRepositoryTable>({
    writtenBy: ['backup-store'],
    tenancy: { by: 'none', because: 'names folders whose tenant is gone' },
    merge: { policy: 'none', because: 'belongs to no organization' },
    erasure: { stay: 'says that what an erased organization has in the store may be removed' },
  }),
}
