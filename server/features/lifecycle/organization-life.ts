import type { Updateable } from 'kysely'
import type { Database } from '../../db/database.ts'
import { isFrozen } from '../../db/org-status.ts'
import { q } from '../../db/query.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { Tables } from '../../tables.ts'
import { assertNoMergeInto, assertNotFrozen, type OrganizationRow } from '../organization-access/index.ts'
import { snapshotsOnHold } from './legal-hold.ts'
import type { LifecycleEffects } from './lifecycle-effects.ts'
import { type Effect, effectOnOrganization, type WritableStatus } from './transitions.ts'

type Columns = Updateable<Tables['organizations']> & { status: OrganizationRow['status'] }

/**
 * Every change of an organization's status, with all that follows from it. The methods belong into the caller's
 * transaction; the caller has decided that the actor may write to the organization, and writes the audit event.
 */
export class OrganizationLife {
  readonly #db: Database
  readonly #clock: Clock
  readonly #effects: LifecycleEffects

  constructor(db: Database, clock: Clock, effects: LifecycleEffects) {
    this.#db = db
    this.#clock = clock
    this.#effects = effects
  }

  /** A PATCH of the status. Throws ORG_LIFECYCLE_FROZEN where it is frozen; the same status again changes nothing. */
  change(org: OrganizationRow, to: WritableStatus): void {
    assertNotFrozen(org)
    const { status: from } = org
    if (from !== to && !isFrozen(from)) this.become(org, { status: to }, effectOnOrganization(from, to))
  }

  /**
   * A DELETE: what is below it stays, nobody reaches it. Throws ORG_LIFECYCLE_FROZEN, and `org_has_legal_hold`: a snapshot
   * on hold is kept for somebody to restore from.
   */
  remove(org: OrganizationRow): void {
    assertNotFrozen(org)
    if (snapshotsOnHold(this.#db, org.id, isoNow(this.#clock)) > 0) throw new AppError('org_has_legal_hold')
    this.become(org, { status: 'churned', deleted_at: isoNow(this.#clock) }, 'sever')
  }

  /** Leaves whatever the organization was in. `columns` are those of the new status; a drain may name its target. */
  become(org: OrganizationRow, columns: Columns, effect: Effect): void {
    assertNoMergeInto(this.#db, org)
    const now = isoNow(this.#clock)
    this.#db.run(
      q
        .updateTable('organizations')
        .set({
          offboarding_started_at: columns.status === 'offboarding' ? (org.offboarding_started_at ?? now) : null,
          offboarding_target: 'churn',
          archived_at: null,
          archive_prior_status: null,
          purge_at: null,
          ...columns,
          updated_at: now,
        })
        .where('id', '=', org.id),
    )
    this.#effects.apply({ kind: 'organization', id: org.id }, effect)
  }
}
