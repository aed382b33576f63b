import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { DeviceActor, Origin, SystemActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, hour } from '../../platform/clock.ts'
import type { StoreCaller } from './credentials.ts'

/** What no restic of ours does. */
type Deed = 'delete' | 'replace' | 'other_repository' | 'unknown_credentials'

const everyMs = hour

/** Tells the audit log when somebody tries what they may not: once an hour for each repository, however often it is. */
export class StoreRefusals {
  readonly #db: Database
  readonly #clock: Clock
  readonly #audit: Audit
  /** By repository; of those that there are. */
  readonly #toldAt = new Map<string, number>()

  constructor({ db, clock, audit }: { db: Database; clock: Clock; audit: Audit }) {
    this.#db = db
    this.#clock = clock
    this.#audit = audit
  }

  /** Of somebody with credentials for a repository of their own. */
  ofCaller({ repositoryId, deviceId }: StoreCaller, deed: Deed, origin: Origin): void {
    this.#tell(repositoryId, deed, () => {
      const device = this.#db.one(q.selectFrom('devices').selectAll().where('id', '=', deviceId))
      const { agent_id, hostname, org_id, site_id } = device
      const actor = { kind: 'device', deviceId, agentId: agent_id, hostname, orgId: org_id, siteId: site_id } as const
      return { ...actor, role: 'agent', origin }
    })
  }

  /** Of somebody whose credentials are not known, or not any more. */
  ofStranger(repositoryId: string, origin: Origin): void {
    this.#tell(repositoryId, 'unknown_credentials', () => ({ kind: 'system', task: 'backup-store', origin }))
  }

  #tell(repositoryId: string, deed: Deed, actorOf: () => DeviceActor | SystemActor): void {
    const now = this.#clock.monotonic()
    if (now - (this.#toldAt.get(repositoryId) ?? Number.NEGATIVE_INFINITY) < everyMs) return
    const repository = this.#db.first(
      q
        .selectFrom('backup_repositories as repository')
        .innerJoin('devices', 'devices.id', 'repository.device_id')
        .select(['repository.org_id', 'devices.hostname', 'devices.display_name'])
        .where('repository.id', '=', repositoryId),
    )
    if (!repository) return
    this.#toldAt.set(repositoryId, now)
    this.#db.transaction(() =>
      this.#audit(actorOf(), {
        action: 'backup.store.refuse',
        resourceType: 'backup_repository',
        resourceId: repositoryId,
        resourceName: repository.display_name ?? repository.hostname,
        orgId: repository.org_id,
        details: { tried: deed },
        result: 'denied',
      }),
    )
  }
}
