import type { Updateable } from 'kysely'
import type { SecurityPreview, SecuritySettings, updateOwnPartner } from '../../../shared/api/partners.ts'
import type { BodyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { PartnerTable } from '../../db/tables/tenancy.ts'
import type { Origin, UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { changedFieldsOf } from '../../platform/updates.ts'
import { type AssertNobodyLockedOut, type Foresee, storableSecurity } from './security.ts'
import { isObject, type Json, mergeSettings } from './settings.ts'
import { findPartnerStanding } from './standing.ts'
import { type PartnerRow, partnerView } from './views.ts'

export interface AllowlistRules {
  /** The environment names trusted proxies, without which no address can be vouched for. */
  isProxyConfigured: boolean
  isAllowlistEnforced: boolean
}

/** What becomes of people when settings change. */
export interface SecurityWatch {
  assertNobodyLockedOut: AssertNobodyLockedOut
  foresee: Foresee
}

type Wanted = BodyOf<typeof updateOwnPartner>

/** The company somebody works for, as they see and settle it themselves. */
export class Partners {
  readonly #db: Database
  readonly #clock: Clock
  readonly #audit: Audit
  readonly #rules: AllowlistRules
  readonly #watch: SecurityWatch

  constructor(db: Database, clock: Clock, audit: Audit, rules: AllowlistRules, watch: SecurityWatch) {
    this.#db = db
    this.#clock = clock
    this.#audit = audit
    this.#rules = rules
    this.#watch = watch
  }

  own(actor: UserActor) {
    return partnerView(this.#find(actor))
  }

  updateOwn(actor: UserActor, wanted: Wanted) {
    assertFullAccess(actor)
    const changedFields = changedFieldsOf(wanted)
    // Read, merge and write in one: of two people who save at once, neither undoes what the other settled.
    return this.#db.transaction(() => {
      const before = this.#find(actor)
      this.#db.run(
        q
          .updateTable('partners')
          .set({
            ...(wanted.name && { name: wanted.name }),
            ...(wanted.billingEmail !== undefined && { billing_email: wanted.billingEmail }),
            ...(wanted.settings && this.#settingsColumns(before, wanted.settings, actor.origin)),
            updated_at: isoNow(this.#clock),
          })
          .where('id', '=', before.id),
      )
      this.#audit(actor, {
        action: 'partner.settings.update',
        resourceType: 'partner',
        resourceId: before.id,
        resourceName: wanted.name ?? before.name,
        partnerId: before.id,
        details: { changedFields },
      })
      return partnerView(this.#find(actor))
    })
  }

  /** As `updateOwn` would judge it, without doing it. */
  previewSecurity(actor: UserActor, security: SecuritySettings): SecurityPreview {
    assertFullAccess(actor)
    const before = this.#find(actor)
    const { settings } = this.#settingsColumns(before, { security }, actor.origin)
    return this.#watch.foresee(actor, before.settings, settings)
  }

  allowlistStatus(actor: UserActor) {
    const { ip, isVouchedFor } = actor.origin
    const proxyTrustOk = this.#canTrust(actor.origin)
    const enforced = this.#rules.isAllowlistEnforced && hasEntries(parsed(this.#find(actor)))
    return { currentIp: isVouchedFor ? ip : null, proxyTrustOk, enforced, active: enforced && proxyTrustOk }
  }

  standing(actor: UserActor) {
    const standing = actor.partnerId === null ? undefined : findPartnerStanding(this.#db, actor.partnerId)
    if (!standing) throw new AppError('partner_not_found')
    return standing
  }

  #settingsColumns(before: PartnerRow, { security, ...sent }: NonNullable<Wanted['settings']>, origin: Origin) {
    const stored = parsed(before)
    const merged = mergeSettings(stored, { ...sent, ...(security && { security: storableSecurity(security) }) })
    const settings = JSON.stringify(merged)
    if (!hasEntries(stored) && hasEntries(merged) && !this.#canTrust(origin)) throw new AppError('proxy_trust_required')
    if (security) this.#watch.assertNobodyLockedOut({ partnerId: before.id, orgId: null }, settings)
    return { settings, ...(sent.timezone && { timezone: sent.timezone }) } satisfies Updateable<PartnerTable>
  }

  /** A list is only worth something where the address of the caller is known for certain. */
  #canTrust(origin: Origin): boolean {
    return this.#rules.isProxyConfigured && origin.isVouchedFor
  }

  #find(actor: UserActor): PartnerRow {
    const row =
      actor.partnerId !== null &&
      this.#db.first(
        q.selectFrom('partners').selectAll().where('id', '=', actor.partnerId).where('deleted_at', 'is', null),
      )
    if (!row) throw new AppError('partner_not_found')
    return row
  }
}

function assertFullAccess({ orgAccess }: UserActor): void {
  if (orgAccess !== 'all') throw new AppError('full_partner_access_required')
}

const parsed = ({ settings }: PartnerRow): Json => JSON.parse(settings) as Json

function hasEntries({ security }: Json): boolean {
  const list = isObject(security) ? security.ipAllowlist : undefined
  return Array.isArray(list) && list.length > 0
}
