import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inSteps } from '../../lib/pieces.ts'
import { type Clock, day, iso, isoNow } from '../../platform/clock.ts'
import type { BackupPolicies } from '../backup-policies/index.ts'
import type { Mailer } from '../messaging/index.ts'
import { unprintedKeys } from './unprinted-sheets.ts'

interface ReminderServices {
  db: Database
  clock: Clock
  mailer: Mailer
  backupPolicies: BackupPolicies
}

/** Nobody is asked at once: the console does that. */
const firstAfterMs = 7 * day
const againAfterMs = 30 * day

/** Reminds the people whom the policies of an organization name of the recovery sheet, each month until it is locked away. */
export class SheetReminders {
  readonly #services: ReminderServices

  constructor(services: ReminderServices) {
    this.#services = services
  }

  async run(signal: AbortSignal): Promise<void> {
    const { db } = this.#services
    for (const { org_id } of db.all(this.#due().select('storage_encryption_keys.org_id').distinct())) {
      const addresses = await this.#addressesIn(org_id, signal)
      // Once a policy names somebody, they are told.
      if (addresses.size > 0) this.#remind(org_id, addresses)
    }
  }

  /** That people were reminded and the mails are saved together. */
  #remind(orgId: string, addresses: ReadonlySet<string>): void {
    const { db, clock, mailer } = this.#services
    db.transaction(() => {
      const due = db.all(
        this.#due()
          .select(['storage_encryption_keys.id', 'organizations.name as orgName'])
          .where('storage_encryption_keys.org_id', '=', orgId),
      )
      const [first] = due
      if (!first) return
      const ids = due.map(({ id }) => id)
      db.run(
        q
          .updateTable('storage_encryption_keys')
          .set({ sheet_reminded_at: isoNow(clock) })
          .where('id', 'in', ids),
      )
      mailer.withdraw('backup-recovery-sheet', 'orgId', orgId)
      for (const to of addresses)
        mailer.send({ kind: 'backup-recovery-sheet', to, data: { orgId, orgName: first.orgName } })
    })
  }

  #due() {
    const now = this.#services.clock.now()
    return unprintedKeys()
      .where('storage_encryption_keys.created_at', '<=', iso(now - firstAfterMs))
      .where((where) =>
        where.or([where('sheet_reminded_at', 'is', null), where('sheet_reminded_at', '<=', iso(now - againAfterMs))]),
      )
  }

  async #addressesIn(orgId: string, signal: AbortSignal): Promise<Set<string>> {
    const addresses = new Set<string>()
    const found = this.#services.backupPolicies.inOrganization(orgId, ({ plan }) => {
      for (const email of plan?.notifies ?? []) addresses.add(email)
    })
    await inSteps(signal, found)
    return addresses
  }
}
