import type { BackupRetention, BackupSelection } from '../../../shared/backup-plan.ts'
import { userFolders } from '../../../shared/device/backup-places.ts'
import { inSteps, untilDone } from '../../lib/pieces.ts'
import type { BackupPolicies, DeviceBackup, Protection } from '../backup-policies/index.ts'

/** What a device’s policy says to back up, and where to. */
export interface BackupPlan {
  policyId: string | null
  featureLinkId: string | null
  /** Null when the policy names no storage that is turned on and the organization has no default one. */
  configId: string | null
  /** Null when the profile of the policy has nothing to back up. */
  selections: readonly BackupSelection[] | null
  limitUploadKib: number | null
}

/** How long a device’s snapshots are kept, and what keeps them whatever their age. */
export interface Keeping {
  retention: BackupRetention
  protection: Protection
}

/** What backups are made where nobody has said what to back up. */
export const withoutPolicy: BackupSelection = { mode: 'file', targets: { paths: [userFolders] } }

/** Mbit/s in KiB/s, as restic counts. */
const kibPerMbit = 122

/** The policies of devices, as jobs need them. */
export class BackupPlans {
  readonly #policies: BackupPolicies

  constructor(policies: BackupPolicies) {
    this.#policies = policies
  }

  /** Null for a device without a policy. */
  of(deviceId: string): BackupPlan | null {
    const backup = this.#policies.ofDevice(deviceId)
    return backup ? planIn(backup) : null
  }

  keepingOf(deviceId: string): Keeping {
    const backup = this.#policies.ofDevice(deviceId)
    return {
      retention: backup?.plan?.retention ?? {},
      protection: backup?.protection ?? { legalHold: null, immutability: null },
    }
  }

  /** Of every device of the organization that a policy protects. */
  async ofOrganization(orgId: string): Promise<Map<string, BackupPlan>> {
    const plans = new Map<string, BackupPlan>()
    const found = (backup: DeviceBackup) => {
      const plan = planIn(backup)
      if (plan) plans.set(backup.device.id, plan)
    }
    await inSteps(untilDone, this.#policies.inOrganization(orgId, found))
    return plans
  }
}

export function planIn({ source, plan, destination }: DeviceBackup): BackupPlan | null {
  if (!plan) return null
  return {
    policyId: source?.policyId ?? null,
    featureLinkId: plan.linkId,
    configId: destination === 'no_config' ? null : destination.configId,
    selections: plan.protects === 'broken_profile' ? null : plan.protects,
    limitUploadKib: plan.bandwidthLimitMbps === null ? null : plan.bandwidthLimitMbps * kibPerMbit,
  }
}
