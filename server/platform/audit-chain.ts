import { type Insertable, type Selectable, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { q } from '../db/query.ts'
import type { EventOwner } from './actor.ts'
import type { AuditChainTable, AuditLogTable } from './audit-tables.ts'
import { equalSecrets, type Secrets, sha256 } from './secrets.ts'

export type AuditChain = Selectable<AuditChainTable>
export type AuditRow = Omit<Insertable<AuditLogTable>, 'seq' | 'checksum' | 'prev_checksum'>
/** SHA-256 over the event before it and all there is of this one, column by column in the order of their names. */
export const eventChecksum = (previous: string | null, row: AuditRow): string =>
  sha256(`${previous ?? ''}\n${JSON.stringify(Object.entries(row).sort())}`)

/** SQLite replaces lone surrogates, and the checksum must cover what is stored. */
const asStored = (row: AuditRow): AuditRow =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'string' ? value.toWellFormed() : value]),
  ) as AuditRow

type Unsealed = Omit<AuditChain, 'id' | 'seal' | 'checked_at' | 'cleaned_at'>

const sealedColumns = [
  'org_id',
  'partner_id',
  'first_seq',
  'anchor',
  'head_seq',
  'head',
  'length',
  'unsealed_seq',
  'fault',
  'fault_seq',
] as const satisfies (keyof Unsealed)[]

/** The seal covers where a chain begins and ends, how many events are between, and its known faults. */
const sealOf = ({ sealLog }: Pick<Secrets, 'sealLog'>, chain: Unsealed): string =>
  sealLog(JSON.stringify(sealedColumns.map((column) => chain[column])))

/**
 * Each tenant's events form a chain: every event carries the checksum of the one before. An attacker who can write to
 * the database could rebuild a whole chain, or cut its end off; the seal over its ends is made with a key that is
 * kept elsewhere, so that both are detected.
 */
export class AuditChains {
  readonly #db: Database
  readonly #secrets: Pick<Secrets, 'sealLog'>

  constructor(db: Database, secrets: Pick<Secrets, 'sealLog'>) {
    this.#db = db
    this.#secrets = secrets
  }

  /** Seals chains of versions that had no seals, all in one transaction: later a missing seal means tampering. */
  sealFirst(): void {
    const db = this.#db
    const chains = q.selectFrom('audit_chains')
    db.transaction(() => {
      if (db.first(chains.select('id').where('seal', 'is not', null).limit(1))) return
      for (const chain of db.all(chains.selectAll())) this.#write({ ...chain, unsealed_seq: chain.head_seq })
    })
  }

  /** Joins the transaction under way. */
  append(event: AuditRow): void {
    const db = this.#db
    const row = asStored(event)
    const { org_id = null, partner_id = null } = row
    const chain = this.find({ org_id, partner_id })
    const prev_checksum = chain?.head ?? null
    const head = eventChecksum(prev_checksum, row)
    const link = q.insertInto('audit_logs').values({ ...row, prev_checksum, checksum: head })
    const [{ seq: head_seq } = { seq: 0 }] = db.write(link.returning('seq'))
    if (chain) this.save(chain, { head_seq, head, length: chain.length + 1 })
    else this.begin({ org_id, partner_id, first_seq: head_seq, head_seq, head, length: 1 })
  }

  begin(ends: Pick<Unsealed, 'org_id' | 'partner_id' | 'first_seq' | 'head_seq' | 'head' | 'length'>): AuditChain {
    const begun = { ...ends, anchor: null, unsealed_seq: null, fault: null, fault_seq: null }
    const chain = q.insertInto('audit_chains').values({ ...begun, seal: sealOf(this.#secrets, begun) })
    const [written] = this.#db.write(chain.returningAll())
    if (!written) throw new Error('A chain of audit events was not written')
    return written
  }

  /** Writes what has changed of a chain, sealed anew; if the former seal did not match, that is recorded as a fault. */
  save(chain: AuditChain, changes: Partial<AuditChain>): void {
    this.#write({ ...chain, ...this.#doubts(chain), ...changes })
  }

  #write(chain: AuditChain): void {
    const { id, ...columns } = { ...chain, seal: sealOf(this.#secrets, chain) }
    this.#db.run(q.updateTable('audit_chains').set(columns).where('id', '=', id))
  }

  /** A fault if the chain does not match its seal. */
  #doubts(chain: AuditChain): Partial<AuditChain> {
    if (chain.fault || equalSecrets(chain.seal ?? '', sealOf(this.#secrets, chain))) return {}
    return { fault: 'seal', fault_seq: chain.head_seq }
  }

  find({ org_id, partner_id }: EventOwner): AuditChain | undefined {
    return this.#db.first(
      q
        .selectFrom('audit_chains')
        .selectAll()
        .where(sql`coalesce(partner_id, '')`, '=', partner_id ?? '')
        .where(sql`coalesce(org_id, '')`, '=', org_id ?? ''),
    )
  }
}
