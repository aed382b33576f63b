import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import { day, iso } from '../../platform/clock.ts'
import type { Protection } from '../backup-policies/index.ts'
import type { SnapshotRow } from './views.ts'

/** No storage enforces it yet, so the appliance does. */
const notEnforced = 'The storage cannot enforce it; the appliance does'

/** Columns of a snapshot that is immutable until then; milliseconds since 1970. */
export const immutableUntil = (
  until: number,
  requested: NonNullable<BackupSnapshot['immutabilityEnforcement']>,
): Partial<SnapshotRow> => ({
  is_immutable: 1,
  immutable_until: iso(until),
  immutability_enforcement: 'application',
  requested_immutability_enforcement: requested,
  immutability_fallback_reason: requested === 'provider' ? notEnforced : null,
})

/** Columns of a new snapshot that policies protect. */
export const protectedFrom = (now: number, { legalHold, immutability }: Protection): Partial<SnapshotRow> => ({
  ...(legalHold && { legal_hold: 1, legal_hold_reason: legalHold.reason, legal_hold_source: 'policy' }),
  ...(immutability && immutableUntil(now + immutability.days * day, immutability.mode)),
})
