import type { moveDevices, moveDeviceToOrganization } from '../../../shared/api/devices.ts'
import type { BodyOf, ReplyOf } from '../../../shared/endpoint.ts'
import { wireCodeOf } from '../../../shared/errors/index.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { inSteps, type Steps } from '../../lib/pieces.ts'
import { reachesSite, type UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import type { LiveEvents } from '../../platform/live.ts'
import { operableOrganization } from '../organization-access/index.ts'
import type { Sites } from '../sites/index.ts'
import type { Devices, MoveTarget } from './devices.ts'
import { surfaceOfOrganization } from './surface.ts'

type Wanted = BodyOf<typeof moveDevices>
type Outcome = ReplyOf<typeof moveDevices>

/** Devices moved in one transaction, which takes a few milliseconds. */
const devicesPerStep = 4
const untilDone = new AbortController().signal

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
      const { org_id: former } = this.#devices.findOperable(actor, id)
      if (!this.#devices.move(actor, id, this.#target(actor, wanted))) throw new AppError('device_already_there')
      this.#announce(new Set([former, wanted.orgId]))
      return { success: true as const, device: this.#devices.row(actor, id) }
    })
  }

  /** A target that is refused refuses the call; a device that is refused is listed, and the others are moved. */
  async many(actor: UserActor, { deviceIds, ...wanted }: Wanted): Promise<Outcome> {
    this.#target(actor, wanted)
    return inSteps(untilDone, this.#manyInSteps(actor, [...new Set(deviceIds)], wanted))
  }

  *#manyInSteps(actor: UserActor, deviceIds: string[], wanted: Omit<Wanted, 'deviceIds'>): Steps<Outcome> {
    const outcome: Outcome = { moved: [], skipped: [], failed: [] }
    for (let at = 0; at < deviceIds.length; at += devicesPerStep) {
      if (at > 0) yield
      this.#db.transaction(() => {
        const orgIds = new Set<string>()
        for (const id of deviceIds.slice(at, at + devicesPerStep)) this.#tryOne(actor, id, wanted, outcome, orgIds)
        this.#announce(orgIds)
      })
    }
    return outcome
  }

  /** Looks at the target again: between two pieces it may have been archived. */
  #tryOne(actor: UserActor, id: string, wanted: Omit<Wanted, 'deviceIds'>, outcome: Outcome, orgIds: Set<string>) {
    try {
      this.#db.attempt(() => {
        const target = this.#target(actor, wanted)
        const { org_id: former } = this.#devices.findOperable(actor, id)
        if (former !== target.org.id && wanted.orgId === undefined) throw new AppError('target_site_invalid')
        const isMoved = this.#devices.move(actor, id, target)
        outcome[isMoved ? 'moved' : 'skipped'].push(id)
        if (isMoved) for (const orgId of [former, target.org.id]) orgIds.add(orgId)
      })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { error: message } = error.body()
      outcome.failed.push({ deviceId: id, code: wireCodeOf(error.code), message })
    }
  }

  /** Where devices may enroll they may be moved to. */
  #target(actor: UserActor, { orgId, siteId }: Omit<Wanted, 'deviceIds'>): MoveTarget {
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

  /** Their numbers of devices have changed. */
  #announce(orgIds: ReadonlySet<string>): void {
    this.#db.afterCommit(() => {
      for (const orgId of orgIds) this.#live.organizationChanged(orgId)
    })
  }
}
