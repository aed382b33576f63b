import { randomUUIDv7 } from 'node:crypto'
import { sql } from 'kysely'
import type { createOrganization, updateOrganization } from '../../../shared/api/organizations.ts'
import type { AuditAction } from '../../../shared/audit-actions/index.ts'
import type { BodyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { toJson } from '../../lib/json.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { notingDenied } from '../../platform/denied.ts'
import { AppError } from '../../platform/errors.ts'
import { changedFieldsOf, changeOf } from '../../platform/updates.ts'
import { selectOrganization } from '../access/index.ts'
import type { ContactProjections } from '../contacts/index.ts'
import type { OrganizationLife } from '../lifecycle/index.ts'
import type { OrganizationRow } from '../organization-access/index.ts'
import { grantedOrganization, isNotFrozen, writableOrganization } from '../organization-access/index.ts'
import { type AssertNobodyLockedOut, findPartner } from '../partners/index.ts'
import { columnsOf } from './columns.ts'
import { assertUnlocked, effectiveSettings, type Json, storableSettings } from './settings.ts'
import { organizationView } from './views.ts'

interface OrganizationServices {
  db: Database
  clock: Clock
  audit: Audit
  life: OrganizationLife
  projections: ContactProjections
  assertNobodyLockedOut: AssertNobodyLockedOut
}

export class Organizations {
  readonly #services: OrganizationServices

  constructor(services: OrganizationServices) {
    this.#services = services
  }

  /** An archived one too, by a user who was granted it. */
  read(actor: UserActor, id: string) {
    return organizationView(this.#readable(actor, id))
  }

  effectiveSettings(actor: UserActor, id: string) {
    if (actor.scope === 'organization' && actor.orgId !== id) throw new AppError('organization_denied')
    const org = this.#readable(actor, id)
    return effectiveSettings(this.#partnerSettings(org.partner_id), org.settings)
  }

  create(actor: UserActor, wanted: BodyOf<typeof createOrganization>) {
    const partnerId = partnerFor(actor, wanted.partnerId)
    const { db, clock, projections } = this.#services
    return db.transaction(() => {
      const partner = findPartner(db, partnerId)
      if (wanted.settings) assertUnlocked(partner.settings, storableSettings(wanted.settings))
      this.#assertSlugFree(partnerId, wanted.slug, null)
      if (partner.plan !== 'unlimited') this.#assertRoom(partnerId, partner.max_organizations)
      const now = isoNow(clock)
      const id = randomUUIDv7()
      db.run(
        q.insertInto('organizations').values({
          ...columnsOf(wanted),
          id,
          partner_id: partnerId,
          name: wanted.name,
          slug: wanted.slug,
          ...(wanted.status && { status: wanted.status }),
          currency_code: partner.currency_code,
          created_at: now,
          updated_at: now,
        }),
      )
      if (wanted.billingContact) projections.writeBilling(id, wanted.billingContact, actor.userId)
      this.#grantToCreator(actor, id)
      const created = this.#byId(id)
      this.#record(actor, 'organization.create', created, { partnerId, status: created.status, type: created.type })
      return organizationView(created)
    })
  }

  update(actor: UserActor, id: string, wanted: BodyOf<typeof updateOrganization>) {
    const { db, clock, life, projections } = this.#services
    const { status } = wanted
    const changedFields = changedFieldsOf(wanted)
    return db.transaction(() => {
      const before = writableOrganization(db, actor, id)
      if (wanted.slug) this.#assertSlugFree(before.partner_id, wanted.slug, id)
      if (wanted.settings) this.#assertSettingsFit(before, storableSettings(wanted.settings))
      const changes = { ...columnsOf(wanted), updated_at: isoNow(clock) }
      const row = q.updateTable('organizations').set(changes).where('id', '=', id).where('deleted_at', 'is', null)
      // The status has changed since it was read: throws the reason.
      if (db.run(row.where(isNotFrozen())) === 0) writableOrganization(db, actor, id)
      if (wanted.billingContact !== undefined) projections.writeBilling(id, wanted.billingContact, actor.userId)
      if (status) life.change(before, status)
      const after = this.#byId(id)
      const view = organizationView(after)
      const statuses = status && { fromStatus: before.status, toStatus: status }
      const change = changeOf(changedFields, organizationView(before), view)
      this.#record(actor, 'organization.update', after, { ...change, ...statuses })
      return view
    })
  }

  /** What it has stays on record; its agents, keys and people are cut off. */
  remove(actor: UserActor, id: string): void {
    const { db, life } = this.#services
    notingDenied(this.#services, actor, ['org_has_legal_hold'], (tries) => {
      const org = writableOrganization(db, actor, id)
      tries(eventOf('organization.delete', org))
      life.remove(org)
      this.#record(actor, 'organization.delete', org)
    })
  }

  #readable(actor: UserActor, id: string): OrganizationRow {
    const org = grantedOrganization(this.#services.db, actor, id)
    if (!org || org.status === 'purging') throw new AppError('organization_not_found')
    return org
  }

  #byId(id: string): OrganizationRow {
    return this.#services.db.one(q.selectFrom('organizations').selectAll().where('id', '=', id))
  }

  #partnerSettings(partnerId: string): OrganizationRow['settings'] {
    const { db } = this.#services
    return db.first(q.selectFrom('partners').select('settings').where('id', '=', partnerId))?.settings ?? toJson({})
  }

  /** What they say of signing in: nothing the partner has settled otherwise, nothing that shuts out who is enrolled. */
  #assertSettingsFit({ id, partner_id }: OrganizationRow, settings: Json): void {
    assertUnlocked(this.#partnerSettings(partner_id), settings)
    this.#services.assertNobodyLockedOut({ partnerId: partner_id, orgId: id }, toJson(settings))
  }

  #assertSlugFree(partnerId: string, slug: string, ownId: string | null): void {
    const holder = this.#services.db.first(
      q
        .selectFrom('organizations')
        .select(['id', 'deleted_at'])
        .where('partner_id', '=', partnerId)
        .where(sql<boolean>`lower(slug) = lower(${slug})`),
    )
    if (holder && holder.id !== ownId) throw new AppError(holder.deleted_at ? 'slug_reserved' : 'slug_taken')
  }

  #assertRoom(partnerId: string, cap: number | null): void {
    if (cap === null) return
    const held = this.#services.db.first(
      q
        .selectFrom('organizations')
        .select((select) => select.fn.countAll<number>().as('total'))
        .where('partner_id', '=', partnerId)
        .where('deleted_at', 'is', null),
    )
    if ((held?.total ?? 0) >= cap)
      throw new AppError('ORGANIZATION_LIMIT_REACHED', {
        error: `Organization limit reached (${cap})`,
        maxOrganizations: cap,
      })
  }

  /** Somebody who sees selected organizations sees the one they made. */
  #grantToCreator(actor: UserActor, orgId: string): void {
    if (actor.scope !== 'partner' || actor.orgAccess !== 'selected' || !actor.partnerId) return
    const { db, clock } = this.#services
    selectOrganization(db, clock, { userId: actor.userId, partnerId: actor.partnerId }, orgId)
  }

  #record(actor: UserActor, action: AuditAction, org: OrganizationRow, details: Record<string, unknown> = {}): void {
    this.#services.audit(actor, eventOf(action, org, details))
  }
}

const eventOf = (action: AuditAction, { id, name, partner_id }: OrganizationRow, details = {}) => ({
  action,
  resourceType: 'organization',
  resourceId: id,
  resourceName: name,
  orgId: id,
  partnerId: partner_id,
  details,
})

function partnerFor(actor: UserActor, wanted: string | undefined): string {
  if (actor.scope === 'system') {
    if (!wanted) throw new AppError('partner_id_required')
    return wanted
  }
  if (!actor.partnerId) throw new AppError('partner_required_to_create_organizations')
  if (wanted && wanted !== actor.partnerId) throw new AppError('partner_access_denied')
  // Members without any organization look after the partner's settings only.
  if (actor.orgAccess === 'none') throw new AppError('insufficient_permissions')
  return actor.partnerId
}
