import { randomUUIDv7 } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { BackupProblem } from '../../../shared/api/backup-attention.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { toJson } from '../../lib/json.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { Mailer } from '../messaging/index.ts'
import { isUrgent, mailOf } from './alerts.ts'
import type { BackupAttentionTable, ProblemDetails } from './tables.ts'

export type AttentionRow = Selectable<BackupAttentionTable>

interface AttentionServices {
  db: Database
  clock: Clock
  mailer: Mailer
}

/** A device of an organization. */
export interface Place {
  id: string
  orgId: string
}

/** What is wrong with the backups of devices: one open row for each device and kind, kept for a while when it is over. */
export class Attention {
  readonly #services: AttentionServices

  constructor(services: AttentionServices) {
    this.#services = services
  }

  openOf(deviceId: string): AttentionRow[] {
    return this.#services.db.all(
      q.selectFrom('backup_attention').selectAll().where('device_id', '=', deviceId).where('resolved_at', 'is', null),
    )
  }

  /** Joins the transaction under way. What is open already stays open, with newer details. */
  open(device: Place, kind: BackupProblem, details: ProblemDetails): void {
    const { db, clock } = this.#services
    const text = toJson(details)
    const same = this.openOf(device.id).find((row) => row.kind === kind)
    if (!same)
      db.run(
        q.insertInto('backup_attention').values({
          id: randomUUIDv7(),
          org_id: device.orgId,
          device_id: device.id,
          kind,
          details: text,
          opened_at: isoNow(clock),
        }),
      )
    else if (same.details !== text)
      db.run(q.updateTable('backup_attention').set({ details: text }).where('id', '=', same.id))
  }

  /** Joins the transaction under way. Mail that has not left and names nobody else with the problem is taken back. */
  resolve(row: Pick<AttentionRow, 'id' | 'kind' | 'mailing_id'>): void {
    const { db, clock, mailer } = this.#services
    db.run(
      q
        .updateTable('backup_attention')
        .set({ resolved_at: isoNow(clock) })
        .where('id', '=', row.id),
    )
    if (row.mailing_id === null || !isUrgent(row.kind)) return
    const others = q.selectFrom('backup_attention').select('id').where('mailing_id', '=', row.mailing_id)
    if (!db.first(others.where('resolved_at', 'is', null).limit(1)))
      mailer.withdraw(mailOf[row.kind], 'mailingId', row.mailing_id)
  }

  /** It leaves service, or its organization. Joins the transaction. */
  forget(deviceId: string): void {
    const { db } = this.#services
    for (const row of this.openOf(deviceId)) this.resolve(row)
    db.run(q.deleteFrom('backup_watches').where('device_id', '=', deviceId))
  }
}
