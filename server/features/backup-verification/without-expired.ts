import type { VerificationOutcome } from '../../../shared/device/backup-verification.ts'

/** What a check found, without snapshots that it missed and that have expired meanwhile. */
export function withoutExpired(said: VerificationOutcome, listed: readonly string[]): VerificationOutcome {
  const isListed = new Set(listed)
  const wholeId = 64
  const damage = (said.damage ?? []).filter(
    ({ kind, id }) => kind !== 'snapshot' || id?.length !== wholeId || isListed.has(id),
  )
  if (damage.length === (said.damage ?? []).length) return said
  const { reason, damage: _, otherSnapshots, ...rest } = said
  if (damage.length === 0 && said.status === 'partial') return { ...rest, status: 'passed' }
  return {
    ...{ ...rest, damage },
    ...(otherSnapshots && { otherSnapshots: otherSnapshots.filter(({ snapshotId }) => isListed.has(snapshotId)) }),
    ...(reason !== undefined && { reason }),
  }
}
