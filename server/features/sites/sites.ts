import { randomUUIDv7 } from 'node:crypto'
import { sql, type Updateable } from 'kysely'
import { enrollmentDefaults } from '../../../shared/api/enrollment-keys.ts'
import type { createSite, listSites, updateSite } from '../../../shared/api/sites.ts'
import type { AuditAction } from '../../../shared/audit-actions/index.ts'
import type { BodyOf, QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import { CountCache } from '../../db/count-cache.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { toJson } from '../../lib/json.ts'
import { type Steps, shownInSteps } from '../../lib/pieces.ts'
import { reachesOrg, reachesSite, type UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { changedFieldsOf, changeOf } from '../../platform/updates.ts'
import { removeSiteFromMemberships } from '../access/index.ts'
import type { ContactProjections } from '../contacts/index.ts'
import { grantedOrganization, writableOrganization } from '../organization-access/index.ts'
import type { SiteTable } from './tables.ts'
import { type SiteRow, siteView } from './views.ts'

const isAmong = (sites: readonly { id: string }[]) =>
  sql<boolean>`id in (select value from json_each(${JSON.stringify(sites.map(({ id }) => id))}))`

const countedBy = (counts: Map<string, number> | null, site: SiteRow): SiteRow =>
  counts ? { ...site, device_count: counts.get(site.id) ?? 0 } : site

export class Sites {
  readonly #db: Database
  readonly #clock: Clock
  readonly #audit: Audit
  readonly #projections: ContactProjections
  readonly #expireKeys: (siteId: string) => number
  readonly #totals: CountCache

  constructor(
    db: Database,
    clock: Clock,
    audit: Audit,
    projections: ContactProjections,
    expireKeys: (siteId: string) => number,
  ) {
    this.#db = db
    this.#clock = clock
    this.#audit = audit
    this.#projections = projections
    this.#expireKeys = expireKeys
    this.#totals = new CountCache(db, ['sites'])
  }

  *list(actor: UserActor, query: QueryOf<typeof listSites>): Steps<ReplyOf<typeof listSites>> {
    const { page, limit, includeEnrollmentDefaults } = query
    const wantedOrg = query.organizationId ?? query.orgId
    if (wantedOrg && !(reachesOrg(actor, wantedOrg) && grantedOrganization(this.#db, actor, wantedOrg)))
      throw new AppError('org_access_denied')
    let visible = q.selectFrom('sites').where(withinReach(actor, 'sites'))
    if (wantedOrg) visible = visible.where('org_id', '=', wantedOrg)
    const rows = visible.orderBy('created_at').orderBy('id')
    const ids = this.#db.all(
      rows
        .select('id')
        .limit(limit)
        .offset((page - 1) * limit),
    )
    const counts = this.#countsFor(actor)
    // Each of them may have settings of a hundred kilobytes.
    const data = yield* shownInSteps(
      ids,
      (some) => this.#db.all(rows.selectAll().where(isAmong(some))),
      (site) => siteView(countedBy(counts, site)),
    )
    const total = this.#totals.total(visible.select((select) => select.fn.countAll<number>().as('total')).compile())
    return {
      data,
      pagination: { page, limit, total },
      ...(includeEnrollmentDefaults && (wantedOrg ?? actor.orgId) && { enrollmentDefaults }),
    }
  }

  /** How many devices a site has is kept; a user confined to groups gets the number of their own. */
  #countsFor(actor: UserActor): Map<string, number> | null {
    if (actor.groups === null) return null
    const counts = this.#db.all(
      q
        .selectFrom('devices')
        .select(['site_id', (select) => select.fn.countAll<number>().as('total')])
        .where(withinReach(actor, 'devices'))
        .where('status', '!=', 'decommissioned')
        .groupBy('site_id'),
    )
    return new Map(counts.map(({ site_id, total }) => [site_id, total]))
  }

  read(actor: UserActor, id: string) {
    return siteView(this.#find(actor, id))
  }

  create(actor: UserActor, wanted: BodyOf<typeof createSite>) {
    return this.#db.transaction(() => {
      const org = writableOrganization(this.#db, actor, wanted.orgId, 'org_access_denied')
      // A confined user could not see the site they made.
      if (actor.sites !== null) throw new AppError('site_access_denied')
      const now = isoNow(this.#clock)
      const id = randomUUIDv7()
      this.#db.run(
        q.insertInto('sites').values({
          ...columnsOf(wanted),
          id,
          org_id: wanted.orgId,
          name: wanted.name,
          created_at: now,
          updated_at: now,
        }),
      )
      if (wanted.contact) this.#writeContact({ id, org_id: org.id }, wanted.contact, actor)
      this.#record(actor, 'site.create', id, wanted.name, org.id, org.partner_id)
      return siteView(this.#db.one(q.selectFrom('sites').selectAll().where('id', '=', id)))
    })
  }

  update(actor: UserActor, id: string, wanted: BodyOf<typeof updateSite>) {
    return this.#db.transaction(() => {
      const { site: before, org } = this.#findToWrite(actor, id)
      const changedFields = changedFieldsOf(wanted)
      const changes = { ...columnsOf(wanted), ...(wanted.name && { name: wanted.name }) }
      this.#db.run(
        q
          .updateTable('sites')
          .set({ ...changes, updated_at: isoNow(this.#clock) })
          .where('id', '=', id),
      )
      if (wanted.contact !== undefined) this.#writeContact(before, wanted.contact, actor)
      const after = siteView(this.#db.one(q.selectFrom('sites').selectAll().where('id', '=', id)))
      const change = changeOf(changedFields, siteView(before), after)
      this.#record(actor, 'site.update', id, after.name, org.id, org.partner_id, change)
      return after
    })
  }

  /** Its contacts go with it, its keys expire, its groups stay without a site, and nobody is confined to it any more. */
  remove(actor: UserActor, id: string): void {
    this.#db.transaction(() => {
      const { site, org } = this.#findToWrite(actor, id)
      const devices = q.selectFrom('devices').where('site_id', '=', id)
      if (this.#db.first(devices.select('id').limit(1))) {
        const seen = devices.where(withinReach(actor, 'devices'))
        const counted = this.#db.first(seen.select((select) => select.fn.countAll<number>().as('total')))
        throw new AppError('SITE_NOT_EMPTY', { deviceCount: counted?.total ?? 0 })
      }
      const expiredKeys = this.#expireKeys(id)
      this.#db.run(q.deleteFrom('sites').where('id', '=', id))
      removeSiteFromMemberships(this.#db, this.#clock, site)
      this.#record(actor, 'site.delete', id, site.name, org.id, org.partner_id, {
        ...(expiredKeys > 0 && { expiredEnrollmentKeys: expiredKeys }),
      })
    })
  }

  /** The site when it belongs to the organization, for features that place something there. */
  inOrganization(orgId: string, siteId: string): SiteRow | undefined {
    const site = this.#byId(siteId)
    return site?.org_id === orgId ? site : undefined
  }

  #find(actor: UserActor, id: string): SiteRow {
    const site = this.#byId(id)
    if (!site) throw new AppError(missingFor(actor))
    if (!reachesOrg(actor, site.org_id) || !reachesSite(actor, site.id)) throw new AppError('site_access_denied')
    return site
  }

  #findToWrite(actor: UserActor, id: string) {
    const site = this.#byId(id)
    if (!site) throw new AppError(missingFor(actor))
    const org = writableOrganization(this.#db, actor, site.org_id, 'site_access_denied')
    if (!reachesSite(actor, site.id)) throw new AppError('site_access_denied')
    return { site, org }
  }

  /** Exactly as it was sent, once it is the site's primary contact. */
  #writeContact(site: Pick<SiteRow, 'id' | 'org_id'>, contact: SiteContact | null, actor: UserActor): void {
    this.#projections.writeSite(site, contact, actor.userId)
    const column = contact === null ? null : toJson<Record<string, unknown>>(contact)
    this.#db.run(q.updateTable('sites').set({ contact: column }).where('id', '=', site.id))
  }

  #byId(id: string): SiteRow | undefined {
    return this.#db.first(q.selectFrom('sites').selectAll().where('id', '=', id))
  }

  #record(
    actor: UserActor,
    action: AuditAction,
    id: string,
    name: string,
    orgId: string,
    partnerId: string,
    details: Record<string, unknown> = {},
  ): void {
    this.#audit(actor, { action, resourceType: 'site', resourceId: id, resourceName: name, orgId, partnerId, details })
  }
}

/** Only those who reach every site hear that there is none: to others it is as one they do not reach. */
const missingFor = ({ scope }: UserActor) => (scope === 'system' ? 'site_not_found' : 'site_access_denied')

type SiteContact = NonNullable<BodyOf<typeof createSite>['contact']>

function columnsOf(wanted: BodyOf<typeof updateSite>): Updateable<SiteTable> {
  const json = (value: unknown) => (value === null ? null : toJson(value))
  return {
    ...(wanted.timezone && { timezone: wanted.timezone }),
    ...(wanted.address !== undefined && { address: json(wanted.address) }),
    ...(wanted.settings !== undefined && { settings: json(wanted.settings) }),
  }
}
