import { table } from '../../db/table.ts'

/** What the backup settings of a policy refer to. */
export interface BackupLinkReferenceTable {
  feature_link_id: string
  backup_profile_id: string | null
  destination_config_id: string | null
}

export const backupPoliciesTables = {
  backup_link_references: table<BackupLinkReferenceTable>({
    writtenBy: ['backup-policies'],
    tenancy: { by: 'none', because: 'read through its policy' },
    merge: { policy: 'follows-parent', parent: 'config_policy_feature_links' },
    erasure: { goWith: 'reference', to: 'config_policy_feature_links' },
  }),
}
