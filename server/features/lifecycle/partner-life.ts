import type { Selectable, Updateable } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { Tables } from '../../tables.ts'
import type { LifecycleEffects } from './lifecycle-effects.ts'
import { type Effect, effectOnPartner, type PartnerStatus } from './transitions.ts'

export type PartnerRow = Selectable<Tables['partners']>
type Columns = Updateable<Tables['partners']> & { status: PartnerStatus }

/**
 * Every change of a partner's status, with all that follows for its people, its organizations' keys and their devices;
 * the status of the organizations stays what it is. The methods belong into the caller's transaction, as those of
 * `OrganizationLife`.
 */
export class PartnerLife {
  readonly #db: Database
  readonly #clock: Clock
  readonly #effects: LifecycleEffects

  constructor(db: Database, clock: Clock, effects: LifecycleEffects) {
    this.#db = db
    this.#clock = clock
    this.#effects = effects
  }

  /** A PATCH of the status; the same status again changes nothing. */
  change(partner: PartnerRow, to: PartnerStatus): void {
    if (partner.status !== to) this.become(partner, { status: to }, effectOnPartner(partner.status, to))
  }

  remove(partner: PartnerRow): void {
    this.become(partner, { status: 'churned', deleted_at: isoNow(this.#clock) }, 'sever')
  }

  /** As of an organization. */
  become(partner: PartnerRow, columns: Columns, effect: Effect): void {
    const now = isoNow(this.#clock)
    this.#db.run(
      q
        .updateTable('partners')
        .set({
          offboarding_started_at: columns.status === 'offboarding' ? (partner.offboarding_started_at ?? now) : null,
          ...columns,
          updated_at: now,
        })
        .where('id', '=', partner.id),
    )
    this.#effects.apply({ kind: 'partner', id: partner.id }, effect)
  }
}
