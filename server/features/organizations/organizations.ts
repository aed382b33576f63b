import { randomUUIDv7 } from 'node:crypto'
import { type ExpressionBuilder, sql, type Updateable } from 'kysely'
import type { createOrganization, listOrganizations, updateOrganization } from '../../../shared/api/organizations.ts'
import type { BodyOf, QueryOf } from '../../../shared/endpoint.ts'
import { CountCache } from '../../db/count-cache.ts'
import type { Database } from '../../db/database.ts'
import { literally } from '../../db/like.ts'
import { isShown } from '../../db/org-status.ts'
import { q } from '../../db/query.ts'
import type { Tables } from '../../db/tables/index.ts'
import type { OrganizationTable } from '../../db/tables/tenancy.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { changedFieldsOf } from '../../platform/updates.ts'
import { type AssertNobodyLockedOut, assertUnlocked } from '../partners/index.ts'
import { type Json, storableSettings } from './settings.ts'
import { assertNotFrozen } from './standing.ts'
import { type OrganizationRow, organizationView } from './views.ts'

export class Organizations {
  readonly #db: Database
  readonly #clock: Clock
  readonly #audit: Audit
  readonly #assertNobodyLockedOut: AssertNobodyLockedOut
  readonly #totals: CountCache

  constructor(db: Database, clock: Clock, audit: Audit, assertNobodyLockedOut: AssertNobodyLockedOut) {
    this.#db = db
    this.#clock = clock
    this.#audit = audit
    this.#assertNobodyLockedOut = assertNobodyLockedOut
    this.#totals = new CountCache(db, ['organizations'])
  }

  /** Every visible organization by name. */
  tree(actor: UserActor) {
    const rows = this.#db.all(this.#visible(actor).selectAll().orderBy(sql`name collate nocase`).orderBy('id'))
    return rows.map(organizationView)
  }

  list(actor: UserActor, { page, limit, partnerId, search }: QueryOf<typeof listOrganizations>) {
    let visible = this.#visible(actor)
    if (partnerId && actor.scope === 'system') visible = visible.where('partner_id', '=', partnerId)
    if (search) visible = visible.where((where) => nameContains(where, search))
    const isOrdered = actor.scope === 'partner' || partnerId !== undefined
    const ordered = isOrdered ? visible.orderBy('display_order') : visible
    const rows = this.#db.all(
      ordered
        .selectAll()
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .offset((page - 1) * limit),
    )
    const total = this.#totals.total(visible.select((select) => select.fn.countAll<number>().as('total')).compile())
    return { data: rows.map(organizationView), pagination: { page, limit, total } }
  }

  read(actor: UserActor, id: string) {
    return organizationView(this.#find(actor, id))
  }

  create(actor: UserActor, wanted: BodyOf<typeof createOrganization>) {
    const partnerId = this.#partnerFor(actor, wanted.partnerId)
    return this.#db.transaction(() => {
      const partner = this.#db.first(
        q.selectFrom('partners').selectAll().where('id', '=', partnerId).where('deleted_at', 'is', null),
      )
      if (!partner) throw new AppError('partner_not_found')
      this.#assertSlugFree(partnerId, wanted.slug, null)
      if (wanted.settings) assertUnlocked(partner.settings, storableSettings(wanted.settings))
      if (partner.plan !== 'unlimited') this.#assertRoom(partnerId, partner.max_organizations)
      const now = isoNow(this.#clock)
      const id = randomUUIDv7()
      this.#db.run(
        q.insertInto('organizations').values({
          ...columnsOf(wanted),
          id,
          partner_id: partnerId,
          name: wanted.name,
          slug: wanted.slug,
          currency_code: partner.currency_code,
          created_at: now,
          updated_at: now,
        }),
      )
      this.#grantToCreator(actor, id)
      const created = this.#byId(id) as OrganizationRow
      this.#audit(actor, {
        action: 'organization.create',
        resourceType: 'organization',
        resourceId: id,
        resourceName: created.name,
        orgId: id,
        partnerId,
        details: { partnerId, status: created.status, type: created.type },
      })
      return organizationView(created)
    })
  }

  update(actor: UserActor, id: string, wanted: BodyOf<typeof updateOrganization>) {
    const changes = {
      ...columnsOf(wanted),
      ...(wanted.name && { name: wanted.name }),
      ...(wanted.slug && { slug: wanted.slug }),
    }
    return this.#db.transaction(() => {
      const before = this.#find(actor, id)
      const changedFields = changedFieldsOf(wanted)
      assertNotFrozen(before)
      // Ending a drain is more than a new status; that belongs to the lifecycle.
      if (wanted.status && before.status === 'offboarding')
        throw new AppError('ORG_LIFECYCLE_FROZEN', { currentStatus: before.status })
      if (wanted.slug) this.#assertSlugFree(before.partner_id, wanted.slug, id)
      if (wanted.settings) this.#assertSettingsFit(before, storableSettings(wanted.settings))
      this.#db.run(
        q
          .updateTable('organizations')
          .set({ ...changes, updated_at: isoNow(this.#clock) })
          .where('id', '=', id),
      )
      this.#audit(actor, {
        action: 'organization.update',
        resourceType: 'organization',
        resourceId: id,
        resourceName: wanted.name ?? before.name,
        orgId: id,
        partnerId: before.partner_id,
        details: {
          changedFields,
          ...(wanted.status && { fromStatus: before.status, toStatus: wanted.status }),
        },
      })
      return organizationView(this.#byId(id) as OrganizationRow)
    })
  }

  #visible(actor: UserActor) {
    return q
      .selectFrom('organizations')
      .where(withinReach(actor, 'organizations'))
      .where(isShown())
      .$if(actor.scope === 'partner' && actor.partnerId !== null, (query) =>
        query.where('partner_id', '=', actor.partnerId as string),
      )
  }

  #find(actor: UserActor, id: string): OrganizationRow {
    const org = this.#db.first(this.#visible(actor).selectAll().where('id', '=', id))
    if (!org) throw new AppError('organization_not_found')
    return org
  }

  #byId(id: string): OrganizationRow | undefined {
    return this.#db.first(q.selectFrom('organizations').selectAll().where('id', '=', id))
  }

  /** What they say of signing in: nothing the partner has settled otherwise, nothing that shuts out who is enrolled. */
  #assertSettingsFit({ id, partner_id }: OrganizationRow, settings: Json): void {
    const partner = this.#db.first(q.selectFrom('partners').select('settings').where('id', '=', partner_id))
    assertUnlocked(partner?.settings ?? '{}', settings)
    this.#assertNobodyLockedOut({ partnerId: partner_id, orgId: id }, JSON.stringify(settings))
  }

  #partnerFor(actor: UserActor, wanted: string | undefined): string {
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

  #assertSlugFree(partnerId: string, slug: string, ownId: string | null): void {
    const holder = this.#db.first(
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
    const held = this.#db.first(
      q
        .selectFrom('organizations')
        .select((select) => select.fn.countAll<number>().as('total'))
        .where('partner_id', '=', partnerId)
        .where('deleted_at', 'is', null),
    )
    if ((held?.total ?? 0) >= cap)
      throw new AppError('ORGANIZATION_LIMIT_REACHED', { error: `Organization limit reached (${cap})` })
  }

  /** Somebody who sees selected organizations sees the one they made. */
  #grantToCreator(actor: UserActor, orgId: string): void {
    if (actor.scope !== 'partner' || actor.orgAccess !== 'selected' || !actor.partnerId) return
    this.#db.run(
      q
        .updateTable('partner_users')
        .set({ org_ids: sql<string>`json_insert(coalesce(org_ids, '[]'), '$[#]', ${orgId})` })
        .where('user_id', '=', actor.userId)
        .where('partner_id', '=', actor.partnerId),
    )
  }
}

function nameContains(where: ExpressionBuilder<Tables, 'organizations'>, text: string) {
  const pattern = `%${literally(text)}%`
  return sql<boolean>`${where.ref('name')} like ${pattern} escape '\\'`
}

type Writable = Omit<BodyOf<typeof createOrganization>, 'name' | 'slug' | 'partnerId'>

function columnsOf(wanted: Partial<Writable>): Updateable<OrganizationTable> {
  const json = (value: object | null) => (value === null ? null : JSON.stringify(value))
  return {
    ...(wanted.type && { type: wanted.type }),
    ...(wanted.status && { status: wanted.status }),
    ...(wanted.maxDevices !== undefined && { max_devices: wanted.maxDevices }),
    ...(wanted.contractStart !== undefined && { contract_start: wanted.contractStart }),
    ...(wanted.contractEnd !== undefined && { contract_end: wanted.contractEnd }),
    ...(wanted.settings !== undefined && { settings: JSON.stringify(storableSettings(wanted.settings)) }),
    ...(wanted.ssoConfig !== undefined && { sso_config: json(wanted.ssoConfig) }),
    ...(wanted.billingContact !== undefined && { billing_contact: json(wanted.billingContact) }),
  }
}
