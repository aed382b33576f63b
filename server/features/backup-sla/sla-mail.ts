import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inPieces, inSteps } from '../../lib/pieces.ts'
import { day, second } from '../../platform/clock.ts'
import type { BackupPolicies } from '../backup-policies/index.ts'
import type { Mailer } from '../messaging/index.ts'

interface MailServices {
  db: Database
  mailer: Mailer
  backupPolicies: BackupPolicies
}

/** Devices of one mailing; those of one come together, whatever is wrong with them. What is more gets mails of its own. */
const devicesPerMailing = 1000
/** Further ones are only counted. */
const maxNamedDevices = 20

const byName = new Intl.Collator('en', { numeric: true })

/** Mails those whom the policies of devices name when something that is promised about them is not kept: once. */
export class SlaMail {
  readonly #services: MailServices

  constructor(services: MailServices) {
    this.#services = services
  }

  async run(signal: AbortSignal): Promise<void> {
    const { db } = this.#services
    const due = db
      .statement<{ id: string; orgId: string }>(
        `SELECT id, org_id AS orgId FROM backup_sla_configs WHERE id IN (
           SELECT DISTINCT sla_config_id FROM backup_sla_events INDEXED BY backup_sla_events_unmailed WHERE is_mail_due = 1)
         ORDER BY org_id`,
      )
      .all()
    for (const [orgId, configs] of Map.groupBy(due, (one) => one.orgId)) {
      const addressesOf = await this.#addresses(orgId, signal)
      for (const { id } of configs) await inPieces(signal, () => db.transaction(() => this.#mail(id, addressesOf)))
    }
  }

  async #addresses(orgId: string, signal: AbortSignal): Promise<Map<string, readonly string[]>> {
    const addressesOf = new Map<string, readonly string[]>()
    const steps = this.#services.backupPolicies.inOrganization(orgId, ({ device, plan }) => {
      if (plan && plan.notifies.length > 0) addressesOf.set(device.id, plan.notifies)
    })
    await inSteps(signal, steps)
    return addressesOf
  }

  /** That it was mailed and the mails are saved together. Answers how many devices there were. */
  #mail(configId: string, addressesOf: ReadonlyMap<string, readonly string[]>): number {
    const { db, mailer } = this.#services
    const unmailed = this.#unmailed(configId)
    if (unmailed.length === 0) return 0
    const namesFor = new Map<string, string[]>()
    for (const { deviceId, deviceName } of unmailed)
      for (const email of addressesOf.get(deviceId) ?? []) {
        const names = namesFor.get(email) ?? []
        namesFor.set(email, names)
        names.push(deviceName)
      }
    const { orgId, orgName, slaName } = db.one(
      q
        .selectFrom('backup_sla_configs')
        .innerJoin('organizations', 'organizations.id', 'backup_sla_configs.org_id')
        .select(['org_id as orgId', 'organizations.name as orgName', 'backup_sla_configs.name as slaName'])
        .where('backup_sla_configs.id', '=', configId),
    )
    for (const [to, names] of namesFor) {
      const devices = names.toSorted((one, other) => byName.compare(one, other)).slice(0, maxNamedDevices)
      const data = { orgId, orgName, slaName, count: names.length, devices }
      mailer.send({ kind: 'backup-sla-breach', to, data, lifeSeconds: day / second })
    }
    db.statement(
      `UPDATE backup_sla_events SET is_mail_due = 0
       WHERE sla_config_id = ? AND is_mail_due = 1 AND device_id IN (SELECT value FROM json_each(?))`,
    ).run(configId, JSON.stringify(unmailed.map(({ deviceId }) => deviceId)))
    return unmailed.length
  }

  #unmailed(configId: string): { deviceId: string; deviceName: string }[] {
    return this.#services.db
      .statement<{ deviceId: string; deviceName: string }>(
        `SELECT DISTINCT devices.id AS deviceId, coalesce(display_name, hostname) AS deviceName
         FROM backup_sla_events INDEXED BY backup_sla_events_unmailed
           JOIN devices ON devices.id = backup_sla_events.device_id
         WHERE sla_config_id = ? AND is_mail_due = 1
         LIMIT ${devicesPerMailing}`,
      )
      .all(configId)
  }
}
