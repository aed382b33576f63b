import type { AuditFault } from '../../../shared/api/audit-log.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { AuditChain } from '../../platform/audit-chain.ts'
import { follows, isOf, isUnchanged, type Link, linksAfter } from './chain-events.ts'

/** The first event that does not fit; of what is missing, the event that should follow it, or the last one there was. */
export interface Misfit {
  fault: AuditFault
  fault_seq: number
}

/** A way along one chain, from where it begins; it goes on where it was when the chain has grown meanwhile. */
export class ChainWalk {
  readonly #db: Database
  readonly #first: number
  /** The last event that fits, and the checksum of the one before. */
  #seq: number
  #checksum: string | null
  #before: string | null = null

  constructor(db: Database, chain: AuditChain) {
    this.#db = db
    this.#first = chain.first_seq
    this.#seq = chain.first_seq - 1
    this.#checksum = chain.anchor
  }

  /** Events whose time was over were removed since: another walk has to begin where the chain does now. */
  isOutdated({ first_seq }: AuditChain): boolean {
    return first_seq !== this.#first
  }

  /** Looks at so many events at most. */
  next(chain: AuditChain, most: number): Misfit | 'more' | 'whole' {
    const links = linksAfter(this.#db, chain, this.#seq, most)
    for (const [at, link] of links.entries()) {
      if (link.seq > chain.head_seq) return { fault: 'added', fault_seq: link.seq }
      if (!follows(link, this.#checksum)) return this.#misfit(chain, link, links[at + 1])
      this.#before = this.#checksum
      this.#checksum = link.checksum
      this.#seq = link.seq
    }
    return links.length === most ? 'more' : this.#end(chain)
  }

  /** What is wrong shows in where the events around it say they belong. */
  #misfit(chain: AuditChain, link: Link, loaded: Link | undefined): Misfit {
    const next = loaded ?? linksAfter(this.#db, chain, link.seq, 1)[0]
    if (next?.prev_checksum === this.#checksum) return { fault: 'added', fault_seq: link.seq }
    if (!isUnchanged(link)) return { fault: 'changed', fault_seq: link.seq }
    const isBehindTheOneBefore = this.#seq > this.#first && link.prev_checksum === this.#before
    return isBehindTheOneBefore ? { fault: 'added', fault_seq: this.#seq } : { fault: 'missing', fault_seq: link.seq }
  }

  #end(chain: AuditChain): Misfit | 'whole' {
    const stray = this.#beforeFirst(chain)
    if (stray !== undefined) return { fault: 'added', fault_seq: stray }
    if (this.#seq < chain.head_seq) return { fault: 'missing', fault_seq: this.#seq }
    return this.#checksum === chain.head ? 'whole' : { fault: 'changed', fault_seq: this.#seq }
  }

  #beforeFirst(chain: AuditChain): number | undefined {
    const stray = q.selectFrom('audit_logs').select('seq').where(isOf(chain)).where('seq', '<', chain.first_seq)
    return this.#db.first(stray.orderBy('seq').limit(1))?.seq
  }
}
