import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { AuditChains } from '../../platform/audit-chain.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { isUnchanged } from './chain-events.ts'

/**
 * SQL condition for the events that stay for the partner when an organization is erased: who created it, changed its
 * status, deleted it or merged another one into it. They say nothing about its contents.
 */
export const isLastingInSql = `(resource_type = 'organization' AND (
  action IN ('organization.create', 'organization.delete', 'org.merge.requested')
  OR (action = 'organization.update' AND details ->> 'toStatus' IS NOT NULL)))`

/** The part of the log of an organization that stays when the organization is erased. */
export class LastingEvents {
  readonly #db: Database
  readonly #chains: AuditChains

  constructor(db: Database, secrets: Pick<Secrets, 'sealLog'>) {
    this.#db = db
    this.#chains = new AuditChains(db, secrets)
  }

  /**
   * Makes a new chain of the lasting events after the others were deleted, so that it can be checked like any other. Joins
   * the transaction that ends the erasure.
   */
  renew({ id, partner_id }: { id: string; partner_id: string }): void {
    const db = this.#db
    const knownFault = this.#chainsOf(id).find((chain) => chain.fault !== null)?.fault
    const isLasting = sql<boolean>`${sql.raw(isLastingInSql)}`
    const ofLog = q.selectFrom('audit_logs').selectAll().where('org_id', '=', id)
    const lasting = db.all(ofLog.where(isLasting).orderBy('seq'))
    const fault = knownFault ?? (lasting.every(isUnchanged) ? null : 'changed')
    db.run(q.deleteFrom('audit_logs').where('org_id', '=', id))
    db.run(q.deleteFrom('audit_chains').where('org_id', '=', id))
    for (const { seq: _, checksum: __, prev_checksum: ___, ...event } of lasting)
      this.#chains.append({ ...event, partner_id })
    const [chain] = this.#chainsOf(id)
    // The fault stays on record; the event it was found at is gone.
    if (chain && fault) this.#chains.save(chain, { fault, fault_seq: null })
  }

  #chainsOf(orgId: string) {
    return this.#db.all(q.selectFrom('audit_chains').selectAll().where('org_id', '=', orgId).orderBy('id'))
  }
}
