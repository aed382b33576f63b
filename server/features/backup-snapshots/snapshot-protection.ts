import type { applyImmutability } from '../../../shared/api/backup-snapshot-protection.ts'
import { longestImmutability } from '../../../shared/api/backup-snapshot-protection.ts'
import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import type { AuditActionOf } from '../../../shared/audit-actions/index.ts'
import type { BodyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { fromJson } from '../../lib/json.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, day, iso, isoNow } from '../../platform/clock.ts'
import { notingDenied } from '../../platform/denied.ts'
import { AppError, fieldError } from '../../platform/errors.ts'
import type { BackupPolicies } from '../backup-policies/index.ts'
import { writableOrganization } from '../organization-access/index.ts'
import { canBeLocked, immutableUntil } from './protection-values.ts'
import type { Snapshots } from './snapshots.ts'
import type { SnapshotRow } from './views.ts'

interface ProtectionServices {
  db: Database
  clock: Clock
  audit: Audit
  snapshots: Snapshots
  backupPolicies: Pick<BackupPolicies, 'ofDevice' | 'holding'>
}

/** Which snapshot, of the organization that is named if any. */
interface Named {
  id: string
  orgId: string | undefined
}

/** Tries to end or shorten what keeps a snapshot; each is noted. */
const triesToShorten = [
  'backup_held_by_policy',
  'backup_immutability_lasts',
  'backup_immutability_not_longer',
  'backup_immutability_of_storage',
] as const

/**
 * Legal holds and immutability by hand. Until its day nobody ends or shortens an immutability. A hold that a policy
 * asks for cannot be released as long as it does: one that asked when the snapshot was made, wherever the device is now, or one of the device.
 */
export class SnapshotProtection {
  readonly #services: ProtectionServices

  constructor(services: ProtectionServices) {
    this.#services = services
  }

  hold(actor: UserActor, named: Named, reason: string): BackupSnapshot {
    const held = { legal_hold: 1, legal_hold_reason: reason, legal_hold_source: 'manual' } as const
    return this.#change(actor, named, 'legal_hold.apply', () => ({ values: held, details: { reason } }))
  }

  /** @throws AppError `backup_no_legal_hold`, `backup_held_by_policy` */
  releaseHold(actor: UserActor, named: Named, reason: string | null): BackupSnapshot {
    return this.#change(actor, named, 'legal_hold.release', (row) => {
      if (row.legal_hold === 0) throw new AppError('backup_no_legal_hold')
      const policy = this.#policyThatHolds(row)
      if (policy) throw new AppError('backup_held_by_policy', { policy: policy.policyName })
      return {
        values: { legal_hold: 0, legal_hold_reason: null, legal_hold_source: null, legal_hold_policy_ids: null },
        details: { reason, source: row.legal_hold_source, appliedBecause: row.legal_hold_reason },
      }
    })
  }

  /** @throws AppError `backup_immutability_not_longer` */
  makeImmutable(actor: UserActor, named: Named, wanted: BodyOf<typeof applyImmutability>): BackupSnapshot {
    const { db, clock } = this.#services
    const now = clock.now()
    const until = wanted.extendUntil ? Date.parse(wanted.extendUntil) : now + (wanted.immutableDays ?? 0) * day
    if (until <= now) throw fieldError('extendUntil', 'Must be in the future')
    if (until > now + longestImmutability * day) throw fieldError('extendUntil', 'Must be within ten years')
    return this.#change(actor, named, 'immutability.apply.application', (row) => {
      const lasts = isImmutable(row, iso(now))
      if (lasts && iso(until) <= (row.immutable_until ?? ''))
        throw new AppError('backup_immutability_not_longer', { immutableUntil: row.immutable_until })
      const enforcement = lasts && isByStorage(row) ? 'provider' : wanted.enforcement
      return {
        values: immutableUntil(until, enforcement, canBeLocked(db, row)),
        details: { reason: wanted.reason, until: iso(until), requestedEnforcement: enforcement },
      }
    })
  }

  /**
   * Of one that is over.
   * @throws AppError `backup_not_immutable`, `backup_immutability_of_storage`, `backup_immutability_lasts`
   */
  releaseImmutability(actor: UserActor, named: Named, reason: string): BackupSnapshot {
    const { clock } = this.#services
    return this.#change(actor, named, 'immutability.release', (row) => {
      if (row.is_immutable === 0) throw new AppError('backup_not_immutable')
      if (isImmutable(row, isoNow(clock)))
        throw new AppError(
          row.immutability_enforcement === 'provider' ? 'backup_immutability_of_storage' : 'backup_immutability_lasts',
          { immutableUntil: row.immutable_until },
        )
      return {
        values: {
          ...{ is_immutable: 0, immutable_until: null, immutability_enforcement: null },
          ...{ requested_immutability_enforcement: null, immutability_fallback_reason: null, awaits_object_lock: 0 },
        },
        details: { reason, until: row.immutable_until },
      }
    })
  }

  #policyThatHolds({ legal_hold_policy_ids: ids, device_id }: SnapshotRow): { policyName: string } | null {
    const { backupPolicies } = this.#services
    const noted = ids && backupPolicies.holding(fromJson(ids))
    return noted ?? backupPolicies.ofDevice(device_id)?.protection.legalHold ?? null
  }

  /** Also while the organization is suspended or closing: evidence is kept then, too. */
  #change(
    actor: UserActor,
    { id, orgId }: Named,
    what: AuditActionOf<'backup.snapshot'>,
    decide: (row: SnapshotRow) => { values: Partial<SnapshotRow>; details: Record<string, unknown> },
  ): BackupSnapshot {
    const { db, clock, audit, snapshots } = this.#services
    return notingDenied(this.#services, actor, triesToShorten, (tries) => {
      const found = db.first(q.selectFrom('backup_snapshots').select('org_id').where('id', '=', id))
      if (!found) throw new AppError('backup_snapshot_not_found')
      writableOrganization(db, actor, found.org_id, 'backup_snapshot_not_found')
      const row = snapshots.find(actor, id, orgId)
      tries(eventOf(what, row, {}))
      const { values, details } = decide(row)
      const updated = { ...values, updated_at: isoNow(clock) }
      db.run(q.updateTable('backup_snapshots').set(updated).where('id', '=', id).where('org_id', '=', row.org_id))
      audit(actor, eventOf(what, row, details))
      return snapshots.read(actor, id, orgId)
    })
  }
}

const eventOf = (what: AuditActionOf<'backup.snapshot'>, row: SnapshotRow, details: Record<string, unknown>) => ({
  action: `backup.snapshot.${what}` as const,
  resourceType: 'backup_snapshot' as const,
  resourceId: row.id,
  resourceName: row.label,
  orgId: row.org_id,
  details: { deviceId: row.device_id, ...details },
})

/** The storage keeps it, or was to be asked for that; extending it does not change who does. */
const isByStorage = ({ immutability_enforcement, requested_immutability_enforcement }: SnapshotRow): boolean =>
  immutability_enforcement === 'provider' || requested_immutability_enforcement === 'provider'

const isImmutable = ({ is_immutable, immutable_until }: SnapshotRow, now: string): boolean =>
  is_immutable === 1 && immutable_until !== null && immutable_until > now
