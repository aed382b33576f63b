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
import { deviceTargetOf } from './device-target.ts'

/** Up to this many devices change in the transaction that changes the status; that takes a few milliseconds. */
const syncedWithStatus = 200

/** Devices of one organization, by `devices.seq`. */
interface OwnDevices {
  orgId: string
  seqs: number[]
}

interface DeviceSyncServices {
  db: Database
  clock: Clock
  log: Log
  removals: Removals
  /** Ends the connections of agents that may not hold one any more. */
  closeSockets: () => Promise<void>
}

/**
 * Brings devices in line with the status of their tenant (suspended tokens, uninstall commands): at once where they are few,
 * else in pieces that leave the event loop free. Until then the tenant is marked in its column `unsettled`, so that a crash
 * loses nothing. What an agent may do depends on the status itself and does not wait for this.
 */
export class DeviceSync {
  readonly #services: DeviceSyncServices
  readonly #stopping = new AbortController()
  #underWay: Promise<void> | null = null
  #requests = 0

  constructor(services: DeviceSyncServices) {
    this.#services = services
  }

  /** Inside the transaction that wrote the status; `cancelReason` is written into uninstall commands that are withdrawn. */
  syncSoon(tenant: Tenant, cancelReason: string): void {
    const { db, log, closeSockets } = this.#services
    this.#requests++
    const devices = this.#devicesOf(tenant)
    const isLater = count(devices) > syncedWithStatus
    if (!isLater) for (const { orgId, seqs } of devices) this.#syncDevices(orgId, seqs, cancelReason)
    this.#mark(tenant, isLater ? cancelReason : null)
    db.afterCommit(() => {
      closeSockets().catch((error) => log.error({ err: error }, 'sockets not closed'))
      if (isLater)
        this.#underWay ??= this.#syncPending().finally(() => {
          this.#underWay = null
        })
    })
  }

  /** Repeats what failed, such as an uninstallation. Rejects when `signal` aborts. */
  async sync(tenant: Tenant, signal: AbortSignal): Promise<void> {
    const { db } = this.#services
    const cancelReason = this.#markOf(tenant) ?? 'tenant_offboarding'
    const requests = this.#requests
    const left = this.#devicesOf(tenant)
    await inPieces(signal, (maxRows) => {
      const piece = take(left, maxRows)
      db.transaction(() => {
        for (const { orgId, seqs } of piece) this.#syncDevices(orgId, seqs, cancelReason)
      })
      return count(piece)
    })
    // A status that changed meanwhile needs another run.
    if (requests === this.#requests && this.#markOf(tenant)) this.#mark(tenant, null)
  }

  /** Tenants whose devices are not in line with their status yet. */
  pending(): Tenant[] {
    const { db } = this.#services
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
  async #syncPending(): Promise<void> {
    const { log } = this.#services
    const { signal } = this.#stopping
    const failed = new Set<string>()
    // The request that changed the status is answered first.
    await setImmediate()
    for (;;) {
      const next = this.pending().find(({ id }) => !failed.has(id))
      if (!next || signal.aborted) return
      try {
        await this.sync(next, signal)
      } catch (error) {
        failed.add(next.id)
        if (!signal.aborted) log.error({ err: error, tenant: next.id }, 'Devices do not follow their tenant yet')
      }
    }
  }

  /** Goes by the present status of the tenant. */
  #syncDevices(orgId: string, listed: readonly number[], cancelReason: string): void {
    const { db, clock, removals } = this.#services
    const target = deviceTargetOf(db, orgId)
    if (!target) return
    // A merge may have moved some since they were listed.
    const isListed = sql<boolean>`seq in (select value from json_each(${JSON.stringify(listed)}))`
    const seqs = seqsIn(db.all(q.selectFrom('devices').select('seq').where(isListed).where('org_id', '=', orgId)))
    suspendTokens(db, seqs, target.suspension, isoNow(clock))
    if (target.removalReasons.length > 0) removals.request(seqs, target.removalReasons)
    else removals.withdraw(seqs, cancelReason)
  }

  #devicesOf(tenant: Tenant): OwnDevices[] {
    const rows = this.#services.db.all(
      q.selectFrom('devices').select(['org_id', 'seq']).where('org_id', 'in', organizationsOf(tenant)),
    )
    return [...Map.groupBy(rows, (row) => row.org_id)].map(([orgId, devices]) => ({
      orgId,
      seqs: seqsIn(devices),
    }))
  }

  #markOf({ kind, id }: Tenant): string | null {
    return this.#services.db.first(q.selectFrom(`${kind}s`).select('unsettled').where('id', '=', id))?.unsettled ?? null
  }

  #mark({ kind, id }: Tenant, cancelReason: string | null): void {
    this.#services.db.run(q.updateTable(`${kind}s`).set({ unsettled: cancelReason }).where('id', '=', id))
  }
}

const seqsIn = (devices: readonly { seq: number }[]): number[] => devices.map(({ seq }) => seq)

const count = (devices: readonly OwnDevices[]): number => devices.reduce((sum, { seqs }) => sum + seqs.length, 0)

/** Takes up to `maxRows` devices out of the list. */
function take(left: OwnDevices[], maxRows: number): OwnDevices[] {
  const taken: OwnDevices[] = []
  for (let room = maxRows, last = left.at(-1); room > 0 && last; last = left.at(-1)) {
    const seqs = last.seqs.splice(-room)
    if (last.seqs.length === 0) left.pop()
    taken.push({ orgId: last.orgId, seqs })
    room -= seqs.length
  }
  return taken
}
