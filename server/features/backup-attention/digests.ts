import type { BackupSchedule } from '../../../shared/backup-plan.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inPieces, inSteps } from '../../lib/pieces.ts'
import { type Clock, day, hour, iso, second } from '../../platform/clock.ts'
import {
  type BackupPolicies,
  type DeviceBackup,
  latestOccurrence,
  timeZoneOfOrganization,
} from '../backup-policies/index.ts'
import type { BackupDigestProblem, Mailer } from '../messaging/index.ts'
import { maxNamedDevices } from './alerts.ts'
import { devicesPerRead, runsOf } from './device-runs.ts'
import { digestProblemOf, looksAt } from './judge.ts'

interface DigestServices {
  db: Database
  clock: Clock
  mailer: Mailer
  backupPolicies: BackupPolicies
}

/** In the time zone of the organization. */
const mornings: BackupSchedule = { frequency: 'daily', time: '07:00' }
/** A time zone that is changed makes no second morning of a day. */
const apartMs = 12 * hour

/** More names than this take too long to put in order: the first to be found are then named. */
const maxSorted = 1000

/** The worst first. */
const order: readonly BackupDigestProblem[] = [
  'broken_profile',
  'no_config',
  'failed',
  'missed',
  'never',
  'no_engine',
  'partial',
]

/** Devices by problem, for one recipient. */
type Digest = Map<BackupDigestProblem, string[]>

/** Each morning, mails those whom the policies of an organization name what is wrong with its backups. */
export class BackupDigests {
  readonly #services: DigestServices

  constructor(services: DigestServices) {
    this.#services = services
  }

  async run(signal: AbortSignal): Promise<void> {
    const orgIds = await inSteps(signal, this.#services.backupPolicies.organizationIds())
    const due: string[] = []
    await inPieces(signal, (maxRows) => {
      const some = orgIds.splice(0, maxRows)
      due.push(...some.filter((orgId) => this.#dueAt(orgId) !== null))
      return some.length
    })
    for (const orgId of due) {
      const digests = await this.#compile(orgId, signal)
      this.#send(orgId, digests)
    }
  }

  /** The morning of which its people do not know yet. The first one is that after backups began. */
  #dueAt(orgId: string): string | null {
    const { db, clock } = this.#services
    const morning = latestOccurrence(mornings, timeZoneOfOrganization(db, orgId), clock.now())
    if (!morning) return null
    const last = db.first(q.selectFrom('backup_digests').select('due_at').where('org_id', '=', orgId))
    if (last) return morning.at - Date.parse(last.due_at) > apartMs ? iso(morning.at) : null
    db.run(q.insertInto('backup_digests').values({ org_id: orgId, due_at: iso(morning.at) }))
    return null
  }

  async #compile(orgId: string, signal: AbortSignal): Promise<Map<string, Digest>> {
    const { db, clock, backupPolicies } = this.#services
    const backups: DeviceBackup[] = []
    const found = (backup: DeviceBackup) => {
      if (backup.plan && backup.plan.notifies.length > 0 && backup.device.status !== 'quarantined') backups.push(backup)
    }
    await inSteps(signal, backupPolicies.inOrganization(orgId, found))
    const look = looksAt(clock.now())
    const digests = new Map<string, Digest>()
    await inPieces(signal, (maxRows) => {
      const some = backups.splice(0, Math.min(maxRows, devicesPerRead))
      const runs = runsOf(db, some)
      for (const backup of some) {
        const known = runs.get(backup.device.id)
        const problem = known && digestProblemOf(look(backup, known))
        if (problem) for (const email of backup.plan?.notifies ?? []) add(digests, email, problem, backup.device.id)
      }
      return some.length
    })
    return digests
  }

  /** That the morning is over and the mails are saved together. */
  #send(orgId: string, digests: ReadonlyMap<string, Digest>): void {
    const { db, mailer } = this.#services
    db.transaction(() => {
      const dueAt = this.#dueAt(orgId)
      if (dueAt === null) return
      db.run(q.updateTable('backup_digests').set({ due_at: dueAt }).where('org_id', '=', orgId))
      // Of the morning before, when there was no mail server.
      mailer.withdraw('backup-digest', 'orgId', orgId)
      const { name: orgName } = db.one(q.selectFrom('organizations').select('name').where('id', '=', orgId))
      for (const [to, digest] of digests) {
        const problems = order.flatMap((problem) => {
          const ids = digest.get(problem) ?? []
          return ids.length > 0 ? [{ problem, count: ids.length, devices: this.#names(ids) }] : []
        })
        mailer.send({ kind: 'backup-digest', to, data: { orgId, orgName, problems }, lifeSeconds: day / second })
      }
    })
  }

  #names(ids: readonly string[]): string[] {
    return this.#services.db
      .statement<string>(
        `SELECT coalesce(display_name, hostname) AS name FROM devices
         WHERE id IN (SELECT value FROM json_each(?)) ORDER BY name_order(name) LIMIT ${maxNamedDevices}`,
      )
      .pluck()
      .all(JSON.stringify(ids.slice(0, maxSorted)))
  }
}

function add(digests: Map<string, Digest>, email: string, problem: BackupDigestProblem, deviceId: string): void {
  const digest: Digest = digests.get(email) ?? new Map()
  digests.set(email, digest)
  const ids = digest.get(problem) ?? []
  digest.set(problem, ids)
  ids.push(deviceId)
}
