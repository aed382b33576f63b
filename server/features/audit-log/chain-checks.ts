import type { Database } from '../../db/database.ts'
import { type AuditChain, AuditChains } from '../../platform/audit-chain.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { inPieces } from '../../platform/pieces.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { chainById, chainIds, isBeingErased } from './chain-events.ts'
import { ChainWalk, type Misfit } from './chain-walk.ts'

interface Deps {
  db: Database
  clock: Clock
  log: Log
  secrets: Pick<Secrets, 'sealLog'>
}

/** Checks chains one after the other, event by event, and records what comes of it with the chain. */
export class ChainChecks {
  readonly #deps: Deps
  readonly #chains: AuditChains
  /** Those under way or waiting. */
  readonly #due = new Set<number>()
  readonly #stopping = new AbortController()
  #running: Promise<void> | null = null

  constructor(deps: Deps) {
    this.#deps = deps
    this.#chains = new AuditChains(deps.db, deps.secrets)
  }

  get due(): number[] {
    return [...this.#due]
  }

  /** Resolves when all of them have been checked. */
  check(ids: Iterable<number>): Promise<void> {
    for (const id of ids) this.#due.add(id)
    this.#running ??= this.#run().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  checkAll(): Promise<void> {
    return this.check(chainIds(this.#deps.db))
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    for (const id of this.#due) {
      try {
        await this.#checkOne(id, signal)
      } catch (error) {
        if (!signal.aborted) this.#deps.log.error({ err: error }, 'A chain of the audit log could not be checked')
      }
      this.#due.delete(id)
    }
  }

  async #checkOne(id: number, signal: AbortSignal): Promise<void> {
    const { db } = this.#deps
    let walk: ChainWalk | null = null
    await inPieces(signal, (most) => {
      const chain = chainById(db, id)
      if (!chain || isBeingErased(db, chain)) return 0
      if (!walk || walk.isOutdated(chain)) walk = new ChainWalk(db, chain)
      const found = walk.next(chain, most)
      if (found === 'more') return most
      this.#record(chain, found === 'whole' ? null : found)
      return 0
    })
  }

  /** What was found first stays on record; whether the seal is right shows when it is made anew. */
  #record(chain: AuditChain, misfit: Misfit | null): void {
    const { db, clock, log } = this.#deps
    const { id, org_id: orgId, partner_id: partnerId } = chain
    const result = { checked_at: isoNow(clock), ...(chain.fault === null && misfit) }
    db.transaction(() => this.#chains.save(chain, result))
    const { fault, fault_seq: seq } = chainById(db, id) ?? chain
    if (fault !== chain.fault) log.error({ orgId, partnerId, fault, seq }, 'The audit log was tampered with')
  }
}
