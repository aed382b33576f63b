import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { AuditChains } from '../../platform/audit-chain.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { isUnchanged } from './chain-events.ts'

interface Owner {
  id: string
  partner_id: string
}

/**
 * Who made an organization, changed its status, deleted it or merged another one into it. That stays when it is erased,
 * for the people of its company; it says nothing of what was in it.
 */
export const isLastingInSql = `(resource_type = 'organization' AND (
  action IN ('organization.create', 'organization.delete', 'org.merge.requested')
  OR (action = 'organization.update' AND details ->> 'toStatus' IS NOT NULL)))`

/** What stays of the log of an organization that is erased. */
export class LastingEvents {
  readonly #db: Database
  readonly #chains: AuditChains

  constructor(db: Database, secrets: Pick<Secrets, 'sealLog'>) {
    this.#db = db
    this.#chains = new AuditChains(db, secrets)
  }

  /**
   * Once the others are gone: those that last become a chain of their own, which can be checked like any other. Joins the
   * transaction that ends the erasure.
   */
  renew({ id, partner_id }: Owner): void {
    const db = this.#db
    const known = this.#chainsOf(id).find((chain) => chain.fault !== null)?.fault
    const isLasting = sql<boolean>`${sql.raw(isLastingInSql)}`
    const ofLog = q.selectFrom('audit_logs').selectAll().where('org_id', '=', id)
    const lasting = db.all(ofLog.where(isLasting).orderBy('seq'))
    const fault = known ?? (lasting.every(isUnchanged) ? null : 'changed')
    db.run(q.deleteFrom('audit_logs').where('org_id', '=', id))
    db.run(q.deleteFrom('audit_chains').where('org_id', '=', id))
    for (const { seq: _, checksum: __, prev_checksum: ___, ...event } of lasting)
      this.#chains.append({ ...event, partner_id })
    const [chain] = this.#chainsOf(id)
    // That somebody tampered with it stays on record; what stood beside it is gone.
    if (chain && fault) this.#chains.save(chain, { fault, fault_seq: null })
  }

  #chainsOf(orgId: string) {
    return this.#db.all(q.selectFrom('audit_chains').selectAll().where('org_id', '=', orgId).orderBy('id'))
  }
}
