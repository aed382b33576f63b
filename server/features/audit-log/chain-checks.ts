import type { Database } from '../../db/database.ts'
import { inPieces, inSteps, type Steps } from '../../lib/pieces.ts'
import type { EventOwner } from '../../platform/actor.ts'
import { type AuditChain, AuditChains } from '../../platform/audit-chain.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { chainById, chainIds, endsOf, hasChain, isBeingErased, ownerAfter } from './chain-events.ts'
import { type ChainFault, ChainWalk } from './chain-walk.ts'

interface ChainCheckServices {
  db: Database
  clock: Clock
  log: Log
  secrets: Pick<Secrets, 'sealLog'>
}

/** Events may be long, so few are checked in a step. */
const eventsPerStep = 100
/** Results of several chains are committed together, because there may be thousands of chains. */
const chainsPerCommit = 50

/** Checks chains one after the other, event by event, and saves the result with the chain. */
export class ChainChecks {
  readonly #services: ChainCheckServices
  readonly #chains: AuditChains
  /** Ids of the chains that are being checked or wait for it. */
  readonly #due = new Set<number>()
  /** Ids of intact chains whose result is not saved yet. */
  readonly #intact: number[] = []
  readonly #stopping = new AbortController()
  #running: Promise<void> | null = null

  constructor(services: ChainCheckServices) {
    this.#services = services
    this.#chains = new AuditChains(services.db, services.secrets)
  }

  get due(): number[] {
    return [...this.#due]
  }

  /** Resolves when all chains that are due have been checked. */
  check(ids: Iterable<number>): Promise<void> {
    for (const id of ids) this.#due.add(id)
    this.#running ??= this.#run()
    return this.#running
  }

  checkAll(): Promise<void> {
    return this.check(chainIds(this.#services.db))
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
        if (!this.#intact.includes(id)) this.#due.delete(id)
        if (this.#intact.length >= chainsPerCommit) await this.#try(() => this.#recordIntact())
      }
      await this.#try(() => this.#recordIntact())
    } while (this.#due.size > 0 && !this.#stopping.signal.aborted)
    this.#running = null
  }

  /** Logs a failure, so that the other chains are checked all the same. */
  async #try(work: () => void | Promise<void>): Promise<void> {
    const { signal } = this.#stopping
    try {
      signal.throwIfAborted()
      await work()
    } catch (error) {
      if (!signal.aborted) this.#services.log.error({ err: error }, 'A chain of the audit log could not be checked')
    }
  }

  /** Events without a chain were not written by the appliance, but are shown: they get a chain with a fault on record. */
  async #findStrays(): Promise<void> {
    const { db } = this.#services
    let owner: EventOwner | null = null
    await inPieces(this.#stopping.signal, (maxOwners) => {
      for (let n = 0; n < maxOwners; n++) {
        const next = ownerAfter(db, owner)
        if (!next) return n
        owner = next
        if (!hasChain(db, next) && !isBeingErased(db, next)) this.#due.add(this.#recordStrays(next))
      }
      return maxOwners
    })
  }

  #recordStrays(owner: EventOwner): number {
    const { db } = this.#services
    return db.transaction(() => {
      const ends = endsOf(db, owner)
      // The owner without partner and organization may have a chain already, that of the appliance.
      const chain = this.#chains.find(owner) ?? this.#chains.begin(ends)
      this.#record(chain, { fault: 'added', fault_seq: ends.first_seq })
      return chain.id
    })
  }

  async #checkOne(id: number): Promise<void> {
    await inSteps(this.#stopping.signal, this.#checkSteps(id))
  }

  *#checkSteps(id: number): Steps<void> {
    const { db } = this.#services
    let walk: ChainWalk | null = null
    for (;;) {
      const chain = chainById(db, id)
      if (!chain || isBeingErased(db, chain)) return
      if (!walk || walk.isOutdated(chain)) walk = new ChainWalk(db, chain)
      const result = walk.next(chain, eventsPerStep)
      if (result === 'intact') this.#intact.push(id)
      else if (result !== 'more') this.#record(chain, result)
      if (result !== 'more') return
      yield
    }
  }

  #recordIntact(): void {
    const { db } = this.#services
    const ids = this.#intact.splice(0)
    for (const id of ids) this.#due.delete(id)
    db.transaction(() => {
      for (const id of ids) {
        const chain = chainById(db, id)
        if (chain) this.#record(chain, null)
      }
    })
  }

  /** Saves the result of a check. The first fault found in a chain stays on record; saving also verifies the seal. */
  #record(chain: AuditChain, chainFault: ChainFault | null): void {
    const { db, clock, log } = this.#services
    const { id, org_id: orgId, partner_id: partnerId } = chain
    const result = { checked_at: isoNow(clock), ...(chain.fault === null && chainFault) }
    db.transaction(() => this.#chains.save(chain, result))
    const { fault, fault_seq: seq } = chainById(db, id) ?? chain
    if (fault !== chain.fault) log.error({ orgId, partnerId, fault, seq }, 'The audit log was tampered with')
  }
}
