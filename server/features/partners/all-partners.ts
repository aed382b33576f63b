import { randomUUIDv7 } from 'node:crypto'
import type { Updateable } from 'kysely'
import type { createPartner, listPartners, Partner, updatePartner } from '../../../shared/api/partners.ts'
import type { AuditAction } from '../../../shared/audit-actions/index.ts'
import type { BodyOf, QueryOf } from '../../../shared/endpoint.ts'
import { CountCache } from '../../db/count-cache.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { toJson } from '../../lib/json.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { changedFieldsOf, changeOf } from '../../platform/updates.ts'
import { assertSlugFree } from './names.ts'
import type { NewPartners } from './new-partners.ts'
import type { PartnerChanges } from './partner-changes.ts'
import { findPartner, livePartners, type PartnerRow } from './store.ts'
import type { PartnerTable } from './tables.ts'
import { partnerView, partnerViews } from './views.ts'

/** A status and everything that comes with it, written in the transaction of the caller. */
export interface PartnerLife {
  change(partner: PartnerRow, to: Partner['status']): void
  remove(partner: PartnerRow): void
}

interface AllPartnersServices {
  db: Database
  clock: Clock
  audit: Audit
  secrets: Secrets
  newPartners: NewPartners
  changes: PartnerChanges
  life: PartnerLife
}

type Writable = Omit<BodyOf<typeof createPartner>, 'slug'>

/** The companies of the platform, as its administrators see and change them. */
export class AllPartners {
  readonly #services: AllPartnersServices
  readonly #totals: CountCache

  constructor(services: AllPartnersServices) {
    this.#services = services
    this.#totals = new CountCache(services.db, ['partners'])
  }

  list({ page, limit }: QueryOf<typeof listPartners>) {
    const { db } = this.#services
    const rows = db.all(
      livePartners()
        .selectAll()
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .offset((page - 1) * limit),
    )
    const total = this.#totals.total(
      livePartners()
        .select((select) => select.fn.countAll<number>().as('total'))
        .compile(),
    )
    return { data: partnerViews(db, rows), pagination: { page, limit, total } }
  }

  read(id: string): Partner {
    return partnerView(this.#services.db, findPartner(this.#services.db, id))
  }

  create(actor: UserActor, wanted: BodyOf<typeof createPartner>): Partner {
    const { db, newPartners } = this.#services
    const { name, slug, type = 'msp', plan = 'free' } = wanted
    const id = randomUUIDv7()
    return db.transaction(() => {
      newPartners.create(
        { ...this.#columns({ id, settings: toJson({}) }, wanted, actor), id, name, slug, type, plan },
        actor,
      )
      return this.read(id)
    })
  }

  update(actor: UserActor, id: string, wanted: BodyOf<typeof updatePartner>): Partner {
    const { db, clock, life } = this.#services
    const { slug, status } = wanted
    const changedFields = changedFieldsOf(wanted)
    return db.transaction(() => {
      const before = findPartner(db, id)
      if (slug) assertSlugFree(db, slug, id)
      db.run(
        q
          .updateTable('partners')
          .set({ ...this.#columns(before, wanted, actor), ...(slug && { slug }), updated_at: isoNow(clock) })
          .where('id', '=', id),
      )
      if (status) life.change(before, status)
      const after = this.read(id)
      this.#record(actor, 'partner.update', before, {
        ...changeOf(changedFields, partnerView(db, before), after),
        ...(status && { fromStatus: before.status, toStatus: status }),
      })
      return after
    })
  }

  remove(actor: UserActor, id: string) {
    const { db, life } = this.#services
    return db.transaction(() => {
      const partner = findPartner(db, id)
      life.remove(partner)
      this.#record(actor, 'partner.delete', partner)
      return { success: true } as const
    })
  }

  #columns(before: Pick<PartnerRow, 'id' | 'settings'>, wanted: Partial<Writable>, actor: UserActor) {
    const { type, plan, maxOrganizations, maxDevices, ssoConfig } = wanted
    return {
      ...this.#services.changes.columns(before, wanted, actor.origin),
      ...(type && { type }),
      ...(plan && { plan }),
      ...(maxOrganizations !== undefined && { max_organizations: maxOrganizations }),
      ...(maxDevices !== undefined && { max_devices: maxDevices }),
      ...(ssoConfig !== undefined && { sso_config: ssoConfig && this.#sealed(ssoConfig, before.id) }),
    } satisfies Updateable<PartnerTable>
  }

  /** It may hold the secret of an identity provider. */
  #sealed(config: object, partnerId: string): string {
    return this.#services.secrets.encrypt(JSON.stringify(config), `partner_sso_config:${partnerId}`)
  }

  #record(actor: UserActor, action: AuditAction, partner: PartnerRow, details: Record<string, unknown> = {}): void {
    this.#services.audit(actor, {
      action,
      resourceType: 'partner',
      resourceId: partner.id,
      resourceName: partner.name,
      partnerId: partner.id,
      details,
    })
  }
}
