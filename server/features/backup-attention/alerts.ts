import { randomUUIDv7 } from 'node:crypto'
import type { BackupProblem } from '../../../shared/api/backup-attention.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inPieces, inSteps } from '../../lib/pieces.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { BackupPolicies, DeviceBackup } from '../backup-policies/index.ts'
import type { Mailer } from '../messaging/index.ts'

interface AlertServices {
  db: Database
  clock: Clock
  mailer: Mailer
  backupPolicies: BackupPolicies
}

/** Devices of one occasion. What is more gets mails of its own. */
const devicesPerMailing = 1000
/** Further ones are only counted. */
export const maxNamedDevices = 20

interface Unmailed {
  id: string
  deviceId: string
  deviceName: string
}

/** What cannot wait for the morning, and the mail that says so. */
export const mailOf = {
  missed_twice: 'backup-missed',
  unusual_change: 'backup-unusual-change',
  verification_failed: 'backup-check-failed',
  copy_late: 'backup-copy-late',
  copy_failed: 'backup-copy-failed',
} as const
type Urgent = keyof typeof mailOf

const kinds = [
  'missed_twice',
  'unusual_change',
  'verification_failed',
  'copy_late',
  'copy_failed',
] as const satisfies readonly Urgent[]

export const isUrgent = (kind: BackupProblem): kind is Urgent => kind in mailOf

/** As the index has it. */
const isUnmailed = `resolved_at IS NULL AND mailed_at IS NULL
  AND kind IN ('missed_twice', 'unusual_change', 'verification_failed', 'copy_late', 'copy_failed')`

/** Mails what cannot wait for the morning. Once, until it is over. */
export class BackupAlerts {
  readonly #services: AlertServices

  constructor(services: AlertServices) {
    this.#services = services
  }

  async run(signal: AbortSignal): Promise<void> {
    const unmailed = this.#services.db
      .statement<string>(
        `SELECT DISTINCT org_id FROM backup_attention INDEXED BY backup_attention_unmailed
         WHERE ${isUnmailed}`,
      )
      .pluck()
      .all()
    for (const orgId of unmailed) await this.#organization(orgId, signal)
  }

  async #organization(orgId: string, signal: AbortSignal): Promise<void> {
    const { db, backupPolicies } = this.#services
    const addressesOf = new Map<string, readonly string[]>()
    const found = ({ device, plan }: DeviceBackup) => {
      if (plan) addressesOf.set(device.id, plan.notifies)
    }
    await inSteps(signal, backupPolicies.inOrganization(orgId, found))
    for (const kind of kinds) await inPieces(signal, () => db.transaction(() => this.#mail(orgId, kind, addressesOf)))
  }

  /** That it was mailed and the mails are saved together. Answers how many devices there were. */
  #mail(orgId: string, kind: Urgent, addressesOf: ReadonlyMap<string, readonly string[]>): number {
    const { db, clock, mailer } = this.#services
    const unmailed = this.#unmailed(orgId, kind)
    if (unmailed.length === 0) return 0
    const namesFor = new Map<string, string[]>()
    for (const { deviceId, deviceName } of unmailed)
      for (const email of addressesOf.get(deviceId) ?? []) {
        const names = namesFor.get(email) ?? []
        namesFor.set(email, names)
        names.push(deviceName)
      }
    const mailingId = randomUUIDv7()
    const { name: orgName } = db.one(q.selectFrom('organizations').select('name').where('id', '=', orgId))
    for (const [to, names] of namesFor)
      mailer.send({
        kind: mailOf[kind],
        to,
        data: { orgId, orgName, mailingId, count: names.length, devices: firstOf(names) },
      })
    db.statement(
      'UPDATE backup_attention SET mailed_at = ?, mailing_id = ? WHERE id IN (SELECT value FROM json_each(?))',
    ).run(isoNow(clock), namesFor.size > 0 ? mailingId : null, JSON.stringify(unmailed.map(({ id }) => id)))
    return unmailed.length
  }

  #unmailed(orgId: string, kind: Urgent): Unmailed[] {
    return this.#services.db
      .statement<Unmailed>(
        `SELECT backup_attention.id, device_id AS deviceId, coalesce(display_name, hostname) AS deviceName
         FROM backup_attention INDEXED BY backup_attention_unmailed
           JOIN devices ON devices.id = backup_attention.device_id
         WHERE backup_attention.org_id = +? AND ${isUnmailed} AND kind = ?
         LIMIT ${devicesPerMailing}`,
      )
      .all(orgId, kind)
  }
}

const byName = new Intl.Collator('en', { numeric: true })

/** As people order names. */
const firstOf = (names: readonly string[]): string[] =>
  names.toSorted((one, other) => byName.compare(one, other)).slice(0, maxNamedDevices)
