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
import { drainOfOrganization, drainOfPartner } from './goal.ts'
import type { OrganizationLife } from './organization-life.ts'
import type { PartnerLife, PartnerRow } from './partner-life.ts'
import type { Settling } from './settling.ts'

interface Deps {
  db: Database
  clock: Clock
  audit: Audit
  removals: Removals
  settling: Settling
  organizations: OrganizationLife
  partners: PartnerLife
  /** How long agents have to remove themselves. */
  windowHours: number
}

type Progress = ReplyOf<typeof readOffboarding>['data']

const actor = systemActor('tenants.sweep')

/** Long lists of devices would make an audit event nobody can read. */
const mostNamed = 1000

/** Tenants that leave: their agents are asked to remove themselves until they have or the window closes. */
export class Drains {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Those under way, the longest first. */
  list(): Tenant[] {
    const draining = (kind: Tenant['kind']) =>
      this.#deps.db
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
    const { removals, windowHours } = this.#deps
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
    const { db, settling } = this.#deps
    db.transaction(() => (tenant.kind === 'partner' ? this.#repairPartner(tenant.id) : this.#repairOrg(tenant.id)))
    await settling.settle(tenant, signal)
    db.transaction(() => (tenant.kind === 'partner' ? this.#finishPartner(tenant.id) : this.#finishOrg(tenant.id)))
  }

  /** A drain without a beginning: whoever began it did not finish. */
  #repairOrg(id: string): void {
    const org = this.#findOrg(id)
    if (!org || org.offboarding_started_at !== null) return
    const { offboarding_target, purge_at, archive_prior_status } = org
    this.#deps.organizations.become(
      org,
      { status: 'offboarding', offboarding_target, purge_at, archive_prior_status },
      'drain',
    )
    this.#record(org, 'offboarding_entry_repaired')
  }

  #repairPartner(id: string): void {
    const partner = this.#findPartner(id)
    if (!partner || partner.offboarding_started_at !== null) return
    this.#deps.partners.become(partner, { status: 'offboarding' }, 'drain')
    this.#record(partner, 'offboarding_entry_repaired')
  }

  #finishOrg(id: string): void {
    const { db, clock } = this.#deps
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
    const { db, clock } = this.#deps
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
    this.#deps.settling.follow(tenant, 'offboarding_window_closed')
  }

  #isOver({ offboarding_started_at }: Pick<OrganizationRow, 'offboarding_started_at'>, inService: number): boolean {
    if (offboarding_started_at === null) return false
    return inService === 0 || this.#hasWindowClosed(offboarding_started_at)
  }

  #hasWindowClosed(startedAt: string): boolean {
    return this.#deps.clock.now() >= Date.parse(startedAt) + this.#deps.windowHours * hour
  }

  #details(reason: string, row: Pick<OrganizationRow, 'offboarding_started_at'>, inService: number) {
    const { removals, windowHours } = this.#deps
    const outcome = removals.outcome(reason, row.offboarding_started_at ?? '')
    return {
      uninstallsCompleted: outcome.completed,
      uninstallsFailed: outcome.failed,
      neverDelivered: outcome.neverDelivered.slice(0, mostNamed),
      deliveredUnconfirmed: outcome.deliveredUnconfirmed.slice(0, mostNamed),
      neverDeliveredCount: outcome.neverDelivered.length,
      deliveredUnconfirmedCount: outcome.deliveredUnconfirmed.length,
      forcedByDeadline: inService > 0,
      windowHours,
    }
  }

  /** Devices of organizations that are closed already had their turn. */
  #devicesInService(partnerId: string): number {
    const held = this.#deps.db.first(
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
    return this.#deps.db.first(
      q
        .selectFrom('organizations')
        .selectAll()
        .where('id', '=', id)
        .where('status', '=', 'offboarding')
        .where('deleted_at', 'is', null),
    )
  }

  #findPartner(id: string): PartnerRow | undefined {
    return this.#deps.db.first(
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
    this.#deps.audit(actor, {
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
