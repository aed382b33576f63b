import type { AuditFault } from '../../../shared/api/audit-log.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { AuditChain } from '../../platform/audit-chain.ts'
import { eventsAfter, follows, isOf, isUnchanged, type StoredEvent } from './chain-events.ts'

/**
 * What is wrong with a chain, and the number of the first event concerned: where events are missing, the event that
 * should follow them, or the last one that is left.
 */
export interface ChainFault {
  fault: AuditFault
  fault_seq: number
}

/** Checks the events of one chain in order, some at a time; the chain may grow meanwhile. */
export class ChainWalk {
  readonly #db: Database
  readonly #first: number
  /** Number and checksum of the last event that was right, and the checksum of the one before it. */
  #seq: number
  #checksum: string | null
  #previousChecksum: string | null = null

  constructor(db: Database, chain: AuditChain) {
    this.#db = db
    this.#first = chain.first_seq
    this.#seq = chain.first_seq - 1
    this.#checksum = chain.anchor
  }

  /** Whether the beginning of the chain was removed by the retention since, so that another walk has to start over. */
  isOutdated({ first_seq }: AuditChain): boolean {
    return first_seq !== this.#first
  }

  /**
   * Checks the next events, at most `limit`.
   * @returns `more` where events are left to check, `intact` at the end of a chain without fault
   */
  next(chain: AuditChain, limit: number): ChainFault | 'more' | 'intact' {
    const events = eventsAfter(this.#db, chain, this.#seq, limit)
    for (const [at, event] of events.entries()) {
      if (event.seq > chain.head_seq) return { fault: 'added', fault_seq: event.seq }
      if (!follows(event, this.#checksum)) return this.#faultAt(chain, event, events[at + 1])
      this.#previousChecksum = this.#checksum
      this.#checksum = event.checksum
      this.#seq = event.seq
    }
    return events.length === limit ? 'more' : this.#end(chain)
  }

  /** Which kind of fault it is shows in the checksums by which the neighboring events refer to each other. */
  #faultAt(chain: AuditChain, event: StoredEvent, loaded: StoredEvent | undefined): ChainFault {
    const next = loaded ?? eventsAfter(this.#db, chain, event.seq, 1)[0]
    if (next?.prev_checksum === this.#checksum) return { fault: 'added', fault_seq: event.seq }
    if (!isUnchanged(event)) return { fault: 'changed', fault_seq: event.seq }
    const followsPrevious = this.#seq > this.#first && event.prev_checksum === this.#previousChecksum
    return followsPrevious ? { fault: 'added', fault_seq: this.#seq } : { fault: 'missing', fault_seq: event.seq }
  }

  #end(chain: AuditChain): ChainFault | 'intact' {
    const stray = this.#beforeFirst(chain)
    if (stray !== undefined) return { fault: 'added', fault_seq: stray }
    if (this.#seq < chain.head_seq) return { fault: 'missing', fault_seq: this.#seq }
    return this.#checksum === chain.head ? 'intact' : { fault: 'changed', fault_seq: this.#seq }
  }

  #beforeFirst(chain: AuditChain): number | undefined {
    const stray = q.selectFrom('audit_logs').select('seq').where(isOf(chain)).where('seq', '<', chain.first_seq)
    return this.#db.first(stray.orderBy('seq').limit(1))?.seq
  }
}
