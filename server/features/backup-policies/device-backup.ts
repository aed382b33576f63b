import type { AssignmentLevel } from '../../../shared/api/configuration-policies.ts'
import type { BackupRetention, BackupSchedule, BackupSelection } from '../../../shared/backup-plan.ts'
import type { DeviceFacts, Judged } from '../configuration-policies/index.ts'
import type { Protection } from './protection.ts'

/** What a policy says about backups, read for use. All devices of one answer share it. */
export interface BackupPlan {
  linkId: string
  /** One job for each, in this order; a profile without a usable one is broken, and governs all the same. */
  protects: readonly BackupSelection[] | 'broken_profile'
  /** What the policy names; null for the default storage of the device’s organization. */
  destinationId: string | null
  /** Null: only when somebody starts it. */
  schedule: BackupSchedule | null
  /** What the policy says of it, which may be nothing or nonsense; `timeZone` of the device is what counts. */
  timezone: unknown
  retention: BackupRetention
  bandwidthLimitMbps: number | null
  /** Addresses of those who are mailed about it. */
  notifies: readonly string[]
}

/** What holds for the backups of one device. */
export interface DeviceBackup {
  device: DeviceFacts
  /** The policy that won; null when none says anything about backups. */
  source: {
    assignmentId: string
    policyId: string
    policyName: string
    level: AssignmentLevel
    targetId: string
    priority: number
  } | null
  plan: BackupPlan | null
  /** Where to: a storage that is switched on; `no_config` when there is none. */
  destination: { configId: string } | 'no_config'
  timeZone: string
  protection: Protection
  /** Every assignment that names the device, from the one that goes first, with what became of it. */
  chain: readonly Judged[]
}
