import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { organizationsOf, type Tenant } from '../../db/tenant.ts'
import { inPieces } from '../../lib/pieces.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Removals } from '../commands/index.ts'
import { suspendTokens } from '../devices/index.ts'
import { goalOf } from './goal.ts'

/** As many as take a few milliseconds: they change in the transaction that changes the status. */
const atOnce = 200

/** Devices of one organization, by `devices.seq`. */
interface OwnDevices {
  orgId: string
  seqs: number[]
}

interface Deps {
  db: Database
  clock: Clock
  log: Log
  removals: Removals
  /** Ends the connections of agents that may not hold one any more. */
  closeSockets: () => Promise<void>
}

/**
 * Devices follow the status of their tenant: at once where they are few, else in pieces that leave the event loop free.
 * Until they do the tenant is marked in its row, so that a crash loses nothing. What an agent may do does not wait for
 * it: that depends on the status itself.
 */
export class Settling {
  readonly #deps: Deps
  readonly #stopping = new AbortController()
  #underWay: Promise<void> | null = null
  #requests = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Inside the transaction that wrote the status; `because` is what removals nobody wants any more are cancelled with. */
  follow(tenant: Tenant, because: string): void {
    const { db, log, closeSockets } = this.#deps
    this.#requests++
    const devices = this.#devicesOf(tenant)
    const isLater = count(devices) > atOnce
    if (!isLater) for (const { orgId, seqs } of devices) this.#settle(orgId, seqs, because)
    this.#mark(tenant, isLater ? because : null)
    db.afterCommit(() => {
      closeSockets().catch((error) => log.error({ err: error }, 'sockets not closed'))
      if (isLater)
        this.#underWay ??= this.#settleMarked().finally(() => {
          this.#underWay = null
        })
    })
  }

  /** Also what was lost on the way, such as a removal that failed. Rejects when `signal` aborts. */
  async settle(tenant: Tenant, signal: AbortSignal): Promise<void> {
    const { db } = this.#deps
    const because = this.#markOf(tenant) ?? 'tenant_offboarding'
    const requests = this.#requests
    const left = this.#devicesOf(tenant)
    await inPieces(signal, (most) => {
      const piece = take(left, most)
      db.transaction(() => {
        for (const { orgId, seqs } of piece) this.#settle(orgId, seqs, because)
      })
      return count(piece)
    })
    // Whoever asked meanwhile wants it done once more.
    if (requests === this.#requests && this.#markOf(tenant)) this.#mark(tenant, null)
  }

  /** Those whose devices do not follow yet. */
  marked(): Tenant[] {
    const { db } = this.#deps
    const marked = (kind: Tenant['kind']) =>
      db
        .all(q.selectFrom(`${kind}s`).select('id').where('unsettled', 'is not', null))
        .map(({ id }): Tenant => ({ kind, id }))
    return [...marked('partner'), ...marked('organization')]
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#underWay
  }

  /** What fails stays marked, and is tried again by the sweep. */
  async #settleMarked(): Promise<void> {
    const { log } = this.#deps
    const { signal } = this.#stopping
    const failed = new Set<string>()
    // Whoever asked gets an answer first.
    await setImmediate()
    for (;;) {
      const next = this.marked().find(({ id }) => !failed.has(id))
      if (!next || signal.aborted) return
      try {
        await this.settle(next, signal)
      } catch (error) {
        failed.add(next.id)
        if (!signal.aborted) log.error({ err: error, tenant: next.id }, 'Devices do not follow their tenant yet')
      }
    }
  }

  /** The status as it is now decides, whatever it was when somebody asked. */
  #settle(orgId: string, listed: readonly number[], withdrawnBecause: string): void {
    const { db, clock, removals } = this.#deps
    const goal = goalOf(db, orgId)
    if (!goal) return
    // A merge may have moved some since they were listed.
    const isListed = sql<boolean>`seq in (select value from json_each(${JSON.stringify(listed)}))`
    const seqs = seqsIn(db.all(q.selectFrom('devices').select('seq').where(isListed).where('org_id', '=', orgId)))
    suspendTokens(db, seqs, goal.suspension, isoNow(clock))
    if (goal.removalReasons.length > 0) removals.want(seqs, goal.removalReasons)
    else removals.withdraw(seqs, withdrawnBecause)
  }

  #devicesOf(tenant: Tenant): OwnDevices[] {
    const rows = this.#deps.db.all(
      q.selectFrom('devices').select(['org_id', 'seq']).where('org_id', 'in', organizationsOf(tenant)),
    )
    return [...Map.groupBy(rows, (row) => row.org_id)].map(([orgId, devices]) => ({
      orgId,
      seqs: seqsIn(devices),
    }))
  }

  #markOf({ kind, id }: Tenant): string | null {
    return this.#deps.db.first(q.selectFrom(`${kind}s`).select('unsettled').where('id', '=', id))?.unsettled ?? null
  }

  #mark({ kind, id }: Tenant, because: string | null): void {
    this.#deps.db.run(q.updateTable(`${kind}s`).set({ unsettled: because }).where('id', '=', id))
  }
}

const seqsIn = (devices: readonly { seq: number }[]): number[] => devices.map(({ seq }) => seq)

const count = (devices: readonly OwnDevices[]): number => devices.reduce((sum, { seqs }) => sum + seqs.length, 0)

/** Takes so many devices out of the list, or what is left of it. */
function take(left: OwnDevices[], most: number): OwnDevices[] {
  const taken: OwnDevices[] = []
  for (let room = most, last = left.at(-1); room > 0 && last; last = left.at(-1)) {
    const seqs = last.seqs.splice(-room)
    if (last.seqs.length === 0) left.pop()
    taken.push({ orgId: last.orgId, seqs })
    room -= seqs.length
  }
  return taken
}
