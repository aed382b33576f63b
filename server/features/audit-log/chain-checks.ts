import type { Database } from '../../db/database.ts'
import { inPieces, inSteps, type Steps } from '../../lib/pieces.ts'
import type { EventOwner } from '../../platform/actor.ts'
import { type AuditChain, AuditChains } from '../../platform/audit-chain.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { chainById, chainIds, endsOf, hasChain, isBeingErased, ownerAfter } from './chain-events.ts'
import { ChainWalk, type Misfit } from './chain-walk.ts'

interface Deps {
  db: Database
  clock: Clock
  log: Log
  secrets: Pick<Secrets, 'sealLog'>
}

/** So many events are checked in a step: each may be long. */
const checkedAtOnce = 100
/** A commit for each of thousands of chains would keep the disk busy. */
const recordedAtOnce = 50

/** Checks chains one after the other, event by event, and records what comes of it with the chain. */
export class ChainChecks {
  readonly #deps: Deps
  readonly #chains: AuditChains
  /** Those under way or waiting. */
  readonly #due = new Set<number>()
  /** Found whole, and not on record yet. */
  readonly #whole: number[] = []
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
    this.#running ??= this.#run()
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
    do {
      await this.#try(() => this.#findStrays())
      for (const id of this.#due) {
        await this.#try(() => this.#checkOne(id))
        if (!this.#whole.includes(id)) this.#due.delete(id)
        if (this.#whole.length >= recordedAtOnce) await this.#try(() => this.#recordWhole())
      }
      await this.#try(() => this.#recordWhole())
    } while (this.#due.size > 0 && !this.#stopping.signal.aborted)
    this.#running = null
  }

  /** One that can not be checked does not keep the others from it. */
  async #try(work: () => void | Promise<void>): Promise<void> {
    const { signal } = this.#stopping
    try {
      signal.throwIfAborted()
      await work()
    } catch (error) {
      if (!signal.aborted) this.#deps.log.error({ err: error }, 'A chain of the audit log could not be checked')
    }
  }

  /** Events that no chain knows of were not written here, and yet are shown: they get a chain that says so. */
  async #findStrays(): Promise<void> {
    const { db } = this.#deps
    let owner: EventOwner | null = null
    await inPieces(this.#stopping.signal, (most) => {
      for (let n = 0; n < most; n++) {
        const next = ownerAfter(db, owner)
        if (!next) return n
        owner = next
        if (!hasChain(db, next) && !isBeingErased(db, next)) this.#due.add(this.#recordStrays(next))
      }
      return most
    })
  }

  #recordStrays(owner: EventOwner): number {
    const { db } = this.#deps
    return db.transaction(() => {
      const ends = endsOf(db, owner)
      // Next to nobody there may already be somebody without a name.
      const chain = this.#chains.find(owner) ?? this.#chains.begin(ends)
      this.#record(chain, { fault: 'added', fault_seq: ends.first_seq })
      return chain.id
    })
  }

  async #checkOne(id: number): Promise<void> {
    await inSteps(this.#stopping.signal, this.#checking(id))
  }

  *#checking(id: number): Steps<void> {
    const { db } = this.#deps
    let walk: ChainWalk | null = null
    for (;;) {
      const chain = chainById(db, id)
      if (!chain || isBeingErased(db, chain)) return
      if (!walk || walk.isOutdated(chain)) walk = new ChainWalk(db, chain)
      const found = walk.next(chain, checkedAtOnce)
      if (found === 'whole') this.#whole.push(id)
      else if (found !== 'more') this.#record(chain, found)
      if (found !== 'more') return
      yield
    }
  }

  #recordWhole(): void {
    const { db } = this.#deps
    const ids = this.#whole.splice(0)
    for (const id of ids) this.#due.delete(id)
    db.transaction(() => {
      for (const id of ids) {
        const chain = chainById(db, id)
        if (chain) this.#record(chain, null)
      }
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
