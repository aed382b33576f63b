import type { BackupRetention, BackupSelection } from '../../../shared/backup-plan.ts'
import { userFolders } from '../../../shared/device/backup-places.ts'

/** What a device’s policy says to back up, and where to. */
export interface BackupPlan {
  policyId: string | null
  featureLinkId: string | null
  /** Null when the policy names no storage and the organization has no default one. */
  configId: string | null
  /** Null when the profile of the policy has nothing to back up. */
  selections: BackupSelection[] | null
  limitUploadKib: number | null
}

export interface BackupPlans {
  /** Null for a device without a policy. */
  of(deviceId: string): BackupPlan | null
  /** Of every device of the organization that a policy protects. */
  ofOrganization(orgId: string): Promise<Map<string, BackupPlan>>
  retentionOf(deviceId: string): BackupRetention
}

export const withoutPolicy: BackupSelection = { mode: 'file', targets: { paths: [userFolders] } }
