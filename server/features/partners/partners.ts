import type { SecurityPreview, SecuritySettings, updateOwnPartner } from '../../../shared/api/partners.ts'
import type { BodyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { hasWholeTenant, reachesOrg, type UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { changedFieldsOf, changeOf } from '../../platform/updates.ts'
import { assertLocalPartUsable } from './names.ts'
import type { PartnerChanges } from './partner-changes.ts'
import { findPartnerStatus } from './partner-status.ts'
import type { PreviewSecurityChange } from './security.ts'
import { findPartner } from './store.ts'
import { partnerView } from './views.ts'

/** The company somebody works for, as they see and settle it themselves. */
export class Partners {
  readonly #db: Database
  readonly #clock: Clock
  readonly #audit: Audit
  readonly #changes: PartnerChanges
  readonly #foresee: PreviewSecurityChange

  constructor(db: Database, clock: Clock, audit: Audit, changes: PartnerChanges, foresee: PreviewSecurityChange) {
    this.#db = db
    this.#clock = clock
    this.#audit = audit
    this.#changes = changes
    this.#foresee = foresee
  }

  /** Of the order of the organizations everybody is told those that they see. */
  own(actor: UserActor) {
    const isSeen = (orgId: string) => hasWholeTenant(actor) || reachesOrg(actor, orgId)
    return partnerView(this.#db, findPartner(this.#db, actor.partnerId), isSeen)
  }

  updateOwn(actor: UserActor, wanted: BodyOf<typeof updateOwnPartner>) {
    assertMaySettle(actor)
    if (wanted.settings?.organizationOrder && !hasWholeTenant(actor)) throw new AppError('full_partner_access_required')
    const { emailSignature, inboundLocalPart } = wanted
    const changedFields = changedFieldsOf(wanted)
    return this.#db.transaction(() => {
      const before = findPartner(this.#db, actor.partnerId)
      if (typeof inboundLocalPart === 'string') assertLocalPartUsable(this.#db, inboundLocalPart, before.id)
      this.#db.run(
        q
          .updateTable('partners')
          .set({
            ...this.#changes.columns(before, wanted, actor.origin),
            ...(emailSignature !== undefined && { email_signature: emailSignature }),
            ...(inboundLocalPart !== undefined && { inbound_local_part: inboundLocalPart }),
            updated_at: isoNow(this.#clock),
          })
          .where('id', '=', before.id),
      )
      const after = partnerView(this.#db, findPartner(this.#db, before.id))
      this.#audit(actor, {
        action: 'partner.settings.update',
        resourceType: 'partner',
        resourceId: before.id,
        resourceName: after.name,
        partnerId: before.id,
        details: changeOf(changedFields, partnerView(this.#db, before), after),
      })
      return this.own(actor)
    })
  }

  /** As `updateOwn` would judge it, without doing it. */
  previewSecurity(actor: UserActor, security: SecuritySettings): SecurityPreview {
    assertMaySettle(actor)
    const before = findPartner(this.#db, actor.partnerId)
    const { settings } = this.#changes.settings(before, { security }, actor.origin)
    return this.#foresee(actor, before.settings, settings)
  }

  allowlistStatus(actor: UserActor) {
    const { ip, isVouchedFor } = actor.origin
    const proxyTrustOk = this.#changes.canTrust(actor.origin)
    const enforced = this.#changes.isEnforced(findPartner(this.#db, actor.partnerId))
    return { currentIp: isVouchedFor ? ip : null, proxyTrustOk, enforced, active: enforced && proxyTrustOk }
  }

  standing(actor: UserActor) {
    const standing = actor.partnerId === null ? undefined : findPartnerStatus(this.#db, actor.partnerId)
    if (!standing) throw new AppError('PARTNER_NOT_FOUND')
    // Their organization may be closed while the company is open.
    if (actor.orgId !== null && standing.status === 'active' && !this.#isOpen(actor.orgId))
      throw new AppError('TENANT_INACTIVE')
    return standing
  }

  #isOpen(orgId: string): boolean {
    const isUsable = q.selectFrom('organizations').select('id').where('status', 'in', ['active', 'trial'])
    return this.#db.first(isUsable.where('id', '=', orgId).where('deleted_at', 'is', null)) !== undefined
  }
}

/** Members with access to no organization are there for the settings of the company; those with some look after these. */
function assertMaySettle({ orgAccess }: UserActor): void {
  if (orgAccess === 'selected') throw new AppError('full_partner_access_required')
}
