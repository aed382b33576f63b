import type { moveDevices, moveDeviceToOrganization } from '../../../shared/api/devices.ts'
import type { BodyOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { reachesSite, type UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import type { LiveEvents } from '../../platform/live.ts'
import { operableOrganization } from '../organization-access/index.ts'
import type { Sites } from '../sites/index.ts'
import type { Devices, MoveTarget } from './devices.ts'
import { onEachDevice } from './several.ts'
import { surfaceOfOrganization } from './surface.ts'

type Place = Omit<BodyOf<typeof moveDevices>, 'deviceIds'>
type Outcome = ReplyOf<typeof moveDevices>

/** Moves devices to another site, of their organization or of another one. */
export class DeviceMoves {
  readonly #db: Database
  readonly #live: LiveEvents
  readonly #devices: Devices
  readonly #sites: Sites

  constructor(db: Database, live: LiveEvents, devices: Devices, sites: Sites) {
    this.#db = db
    this.#live = live
    this.#devices = devices
    this.#sites = sites
  }

  toOrganization(actor: UserActor, id: string, wanted: BodyOf<typeof moveDeviceToOrganization>) {
    return this.#db.transaction(() => {
      const concerned = this.#move(actor, id, wanted)
      // Their numbers of devices have changed.
      this.#db.afterCommit(() => {
        for (const orgId of new Set(concerned)) this.#live.organizationChanged(orgId)
      })
      return { success: true as const, device: this.#devices.row(actor, id) }
    })
  }

  /**
   * A refused device is listed, and the others are moved.
   * @throws AppError why the site is refused, or all devices are
   */
  async many(actor: UserActor, { deviceIds, ...wanted }: BodyOf<typeof moveDevices>): Promise<Outcome> {
    this.#target(actor, wanted)
    const concerned = new Set<string>()
    const { done, failed, skipped } = await onEachDevice(this.#db, actor, deviceIds, (id) => {
      for (const orgId of this.#move(actor, id, wanted)) concerned.add(orgId)
      return id
    })
    for (const orgId of concerned) this.#live.organizationChanged(orgId)
    return { moved: done, failed, skipped }
  }

  /** Looks at the site each time: it may be archived while many are moved. Returns the organizations concerned. */
  #move(actor: UserActor, id: string, wanted: Place): string[] {
    const { org_id: former } = this.#devices.findOperable(actor, id)
    const target = this.#target(actor, wanted)
    if (former !== target.org.id && wanted.orgId === undefined) throw new AppError('target_site_invalid')
    if (!this.#devices.move(actor, id, target)) throw new AppError('device_already_there')
    return [former, target.org.id]
  }

  /** Where devices may enroll they may be moved to. */
  #target(actor: UserActor, { orgId, siteId }: Place): MoveTarget {
    const org = operableOrganization(this.#db, actor, orgId ?? this.#organizationOf(actor, siteId))
    if (surfaceOfOrganization(this.#db, org.id) !== 'full')
      throw new AppError('ORG_NOT_OPERABLE', { error: 'The company is not active', currentStatus: org.status })
    const isReached = reachesSite(actor, siteId) && this.#sites.inOrganization(org.id, siteId)
    if (!isReached) throw new AppError('target_site_invalid')
    return { org, siteId }
  }

  #organizationOf(actor: UserActor, siteId: string): string {
    const site = q.selectFrom('sites').select('org_id').where('id', '=', siteId).where(withinReach(actor, 'sites'))
    const found = this.#db.first(site)
    if (!found) throw new AppError('target_site_invalid')
    return found.org_id
  }
}
