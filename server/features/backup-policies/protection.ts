import type { BackupRetention } from '../../../shared/backup-plan.ts'

/** What keeps snapshots of a device from being deleted, merged over every policy that applies to it. Pure. */
export interface Protection {
  /** `policyIds`: of all that ask for it. */
  legalHold: { reason: string; policyIds: string[]; policyName: string } | null
  immutability: { mode: 'application' | 'provider'; days: number; policyId: string; policyName: string } | null
}

export interface ProtectingPolicy {
  policyId: string
  policyName: string
  retention: BackupRetention | undefined
}

/** Any legal hold counts; of immutabilities the longest, and of two as long that of the provider. The closest policy is the first. */
export function mergedProtection(policies: readonly ProtectingPolicy[]): Protection {
  const protection: Protection = { legalHold: null, immutability: null }
  for (const { policyId, policyName, retention } of policies) {
    const source = { policyId, policyName }
    if (retention?.legalHold) {
      protection.legalHold ??= { reason: retention.legalHoldReason ?? '', policyIds: [], policyName }
      protection.legalHold.policyIds.push(policyId)
    }
    const { immutabilityMode: mode = 'none', immutableDays: days = 0 } = retention ?? {}
    if (mode === 'none' || days === 0) continue
    const { immutability: longest } = protection
    const isStronger =
      longest === null ||
      days > longest.days ||
      (days === longest.days && mode === 'provider' && longest.mode === 'application')
    if (isStronger) protection.immutability = { mode, days, ...source }
  }
  return protection
}
