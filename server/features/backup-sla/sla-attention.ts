import type { Database } from '../../db/database.ts'
import { inPieces, inSteps, type Steps } from '../../lib/pieces.ts'
import type { Attention } from '../backup-attention/index.ts'
import { openEvents, rowsPerRead } from './open-events.ts'

interface AttentionServices {
  db: Database
  attention: Attention
}

type OpenRow = Parameters<Attention['resolve']>[0]
type KnownRow = OpenRow & { device_id: string; opened_at: string }

interface Differences {
  over: OpenRow[]
  missing: { deviceId: string; slaName: string }[]
}

/** A device with a breach that is to be told of needs attention, once. */
export class SlaAttention {
  readonly #services: AttentionServices

  constructor(services: AttentionServices) {
    this.#services = services
  }

  async settle(orgId: string, signal: AbortSignal): Promise<void> {
    const { db, attention } = this.#services
    const { over, missing } = await inSteps(signal, this.#differences(orgId))
    await inPieces(signal, (maxRows) => {
      const some = over.splice(0, maxRows)
      db.transaction(() => {
        for (const row of some) attention.resolve(row)
      })
      return some.length
    })
    await inPieces(signal, (maxRows) => {
      const some = missing.splice(0, maxRows)
      db.transaction(() => {
        for (const { deviceId, slaName } of some)
          if (this.#isBreached(deviceId, orgId)) attention.open({ id: deviceId, orgId }, 'sla_breach', { slaName })
      })
      return some.length
    })
  }

  *#differences(orgId: string): Steps<Differences> {
    const { db } = this.#services
    const breached = new Map<string, string>()
    const told = db
      .statement<{ id: string; name: string }>(
        'SELECT id, name FROM backup_sla_configs WHERE org_id = ? AND alert_on_breach = 1',
      )
      .all(orgId)
    for (const { id, name } of told)
      for (const deviceId of (yield* openEvents(db, id)).keys()) breached.set(deviceId, name)
    const known = yield* this.#known(orgId)
    const over = known.filter(({ device_id }) => !breached.has(device_id))
    for (const { device_id } of known) breached.delete(device_id)
    return { over, missing: [...breached].map(([deviceId, slaName]) => ({ deviceId, slaName })) }
  }

  *#known(orgId: string): Steps<KnownRow[]> {
    const rows = this.#services.db.statement<KnownRow>(
      `SELECT id, kind, mailing_id, device_id, opened_at FROM backup_attention INDEXED BY backup_attention_kind
       WHERE org_id = ? AND kind = 'sla_breach' AND resolved_at IS NULL AND (opened_at, device_id) > (?, ?)
       ORDER BY opened_at, device_id LIMIT ${rowsPerRead}`,
    )
    const known: KnownRow[] = []
    for (;;) {
      const last = known.at(-1)
      const some = rows.all(orgId, last?.opened_at ?? '', last?.device_id ?? '')
      for (const row of some) known.push(row)
      yield
      if (some.length < rowsPerRead) return known
    }
  }

  /** It may have left since it was found. */
  #isBreached(deviceId: string, orgId: string): boolean {
    const open = this.#services.db.statement(
      `SELECT 1 FROM backup_sla_events INDEXED BY backup_sla_events_device
       WHERE device_id = ? AND org_id = ? AND resolved_at IS NULL`,
    )
    return open.get(deviceId, orgId) !== undefined
  }
}
