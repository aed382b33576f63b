import { sql } from 'kysely'
import type { readOffboarding } from '../../../shared/api/lifecycle.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { Tenant } from '../../db/tenant.ts'
import { systemActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, hour, iso, isoNow } from '../../platform/clock.ts'
import type { Removals } from '../commands/index.ts'
import type { OrganizationRow } from '../organization-access/index.ts'
import type { DeviceSync } from './device-sync.ts'
import { drainOfOrganization, drainOfPartner } from './device-target.ts'
import type { OrganizationLife } from './organization-life.ts'
import type { PartnerLife, PartnerRow } from './partner-life.ts'

interface DrainServices {
  db: Database
  clock: Clock
  audit: Audit
  removals: Removals
  deviceSync: DeviceSync
  organizations: OrganizationLife
  partners: PartnerLife
  /** How long agents have to remove themselves. */
  windowHours: number
}

type Progress = ReplyOf<typeof readOffboarding>['data']

const actor = systemActor('tenants.sweep')

/** Keeps audit events readable. */
const maxNamedDevices = 1000

/** Tenants that leave: their agents are asked to remove themselves until they have or the window closes. */
export class Drains {
  readonly #services: DrainServices

  constructor(services: DrainServices) {
    this.#services = services
  }

  /** Those under way, the longest first. */
  list(): Tenant[] {
    const draining = (kind: Tenant['kind']) =>
      this.#services.db
        .all(
          q
            .selectFrom(`${kind}s`)
            .select('id')
            .where('status', '=', 'offboarding')
            .where('deleted_at', 'is', null)
            .orderBy('offboarding_started_at'),
        )
        .map(({ id }): Tenant => ({ kind, id }))
    return [...draining('organization'), ...draining('partner')]
  }

  /** Of an organization; null when it is not draining. */
  progressOf({ id, status, offboarding_started_at, device_count }: OrganizationRow): Progress {
    if (status !== 'offboarding' || offboarding_started_at === null) return null
    const { removals, windowHours } = this.#services
    return {
      startedAt: offboarding_started_at,
      endsBy: iso(Date.parse(offboarding_started_at) + windowHours * hour),
      removed: removals.outcome(drainOfOrganization(id), offboarding_started_at).completed,
      waiting: device_count,
    }
  }

  /** Whether it drains and none of its devices has an agent any more. */
  isEmpty({ kind, id }: Tenant): boolean {
    if (kind === 'organization') return this.#findOrg(id)?.device_count === 0
    return this.#findPartner(id) !== undefined && this.#devicesInService(id) === 0
  }

  /** Asks again where a removal was lost or failed, then ends the drain if it is time. */
  async advance(tenant: Tenant, signal: AbortSignal): Promise<void> {
    const { db, deviceSync } = this.#services
    db.transaction(() => (tenant.kind === 'partner' ? this.#repairPartner(tenant.id) : this.#repairOrg(tenant.id)))
    await deviceSync.sync(tenant, signal)
    db.transaction(() => (tenant.kind === 'partner' ? this.#finishPartner(tenant.id) : this.#finishOrg(tenant.id)))
  }

  /** Repairs a drain without a start time. */
  #repairOrg(id: string): void {
    const org = this.#findOrg(id)
    if (!org || org.offboarding_started_at !== null) return
    const { offboarding_target, purge_at, archive_prior_status } = org
    this.#services.organizations.become(
      org,
      { status: 'offboarding', offboarding_target, purge_at, archive_prior_status },
      'drain',
    )
    this.#record(org, 'offboarding_entry_repaired')
  }

  #repairPartner(id: string): void {
    const partner = this.#findPartner(id)
    if (!partner || partner.offboarding_started_at !== null) return
    this.#services.partners.become(partner, { status: 'offboarding' }, 'drain')
    this.#record(partner, 'offboarding_entry_repaired')
  }

  #finishOrg(id: string): void {
    const { db, clock } = this.#services
    const org = this.#findOrg(id)
    if (!org || !this.#isOver(org, org.device_count)) return
    const details = this.#details(drainOfOrganization(id), org, org.device_count)
    const now = isoNow(clock)
    const end =
      org.offboarding_target === 'archive'
        ? ({ status: 'archived', archived_at: now } as const)
        : ({ status: 'churned' } as const)
    const written = db.run(
      q
        .updateTable('organizations')
        .set({ ...end, offboarding_started_at: null, updated_at: now })
        .where('id', '=', id)
        .where('status', '=', 'offboarding')
        .where('offboarding_target', '=', org.offboarding_target),
    )
    if (written > 0) this.#finished({ kind: 'organization', id }, org, details)
  }

  #finishPartner(id: string): void {
    const { db, clock } = this.#services
    const partner = this.#findPartner(id)
    const inService = partner ? this.#devicesInService(id) : 0
    if (!partner || !this.#isOver(partner, inService)) return
    const details = this.#details(drainOfPartner(id), partner, inService)
    const written = db.run(
      q
        .updateTable('partners')
        .set({ status: 'churned', offboarding_started_at: null, updated_at: isoNow(clock) })
        .where('id', '=', id)
        .where('status', '=', 'offboarding'),
    )
    if (written > 0) this.#finished({ kind: 'partner', id }, partner, details)
  }

  #finished(tenant: Tenant, row: OrganizationRow | PartnerRow, details: object): void {
    this.#record(row, 'offboarding_completed', details)
    this.#services.deviceSync.syncSoon(tenant, 'offboarding_window_closed')
  }

  #isOver({ offboarding_started_at }: Pick<OrganizationRow, 'offboarding_started_at'>, inService: number): boolean {
    if (offboarding_started_at === null) return false
    return inService === 0 || this.#hasWindowClosed(offboarding_started_at)
  }

  #hasWindowClosed(startedAt: string): boolean {
    return this.#services.clock.now() >= Date.parse(startedAt) + this.#services.windowHours * hour
  }

  #details(reason: string, row: Pick<OrganizationRow, 'offboarding_started_at'>, inService: number) {
    const { removals, windowHours } = this.#services
    const outcome = removals.outcome(reason, row.offboarding_started_at ?? '')
    return {
      uninstallsCompleted: outcome.completed,
      uninstallsFailed: outcome.failed,
      neverDelivered: outcome.neverDelivered.slice(0, maxNamedDevices),
      deliveredUnconfirmed: outcome.deliveredUnconfirmed.slice(0, maxNamedDevices),
      neverDeliveredCount: outcome.neverDelivered.length,
      deliveredUnconfirmedCount: outcome.deliveredUnconfirmed.length,
      forcedByDeadline: inService > 0,
      windowHours,
    }
  }

  /** Without devices of organizations that are closed already. */
  #devicesInService(partnerId: string): number {
    const held = this.#services.db.first(
      q
        .selectFrom('organizations')
        .select(sql<number>`coalesce(sum(device_count), 0)`.as('total'))
        .where('partner_id', '=', partnerId)
        .where('deleted_at', 'is', null)
        .where('status', 'not in', ['churned', 'archived', 'purging']),
    )
    return held?.total ?? 0
  }

  #findOrg(id: string): OrganizationRow | undefined {
    return this.#services.db.first(
      q
        .selectFrom('organizations')
        .selectAll()
        .where('id', '=', id)
        .where('status', '=', 'offboarding')
        .where('deleted_at', 'is', null),
    )
  }

  #findPartner(id: string): PartnerRow | undefined {
    return this.#services.db.first(
      q
        .selectFrom('partners')
        .selectAll()
        .where('id', '=', id)
        .where('status', '=', 'offboarding')
        .where('deleted_at', 'is', null),
    )
  }

  #record(
    row: OrganizationRow | PartnerRow,
    action: 'offboarding_completed' | 'offboarding_entry_repaired',
    details: object = {},
  ): void {
    const isOrganization = 'partner_id' in row
    const resourceType = isOrganization ? 'organization' : 'partner'
    this.#services.audit(actor, {
      action: `${resourceType}.${action}`,
      resourceType,
      resourceId: row.id,
      resourceName: row.name,
      orgId: isOrganization ? row.id : null,
      partnerId: isOrganization ? row.partner_id : row.id,
      details: { ...details },
    })
  }
}
