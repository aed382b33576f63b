import {
  type LoginBranding as Branding,
  type loginContext,
  logoOrigin,
  type replaceLoginBranding,
} from '../../../shared/api/login-branding.ts'
import type { BodyOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { UserActor } from '../../platform/actor.ts'
import { actingPartnerId } from '../../platform/actor-tenant.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { assertLogo } from './logo.ts'

type Context = ReplyOf<typeof loginContext>

interface LoginBrandingServices {
  db: Database
  clock: Clock
  audit: Audit
  isHosted: boolean
  /** The identity provider with which all people of a partner may sign in. */
  ssoOf: (partnerId: string) => Context['partnerSso']
}

/** Logo, color and headline that a partner gives the sign-in page. */
export class LoginBranding {
  readonly #services: LoginBrandingServices

  constructor(services: LoginBrandingServices) {
    this.#services = services
  }

  own(actor: UserActor): Branding | null {
    return this.#ofPartner(actingPartnerId(actor))
  }

  /**
   * Replaces the whole branding: a field that is left out is cleared.
   * @throws AppError `partner_context_required`, `partner_policy_access_required`, `validation_failed` for the logo
   */
  replace(actor: UserActor, branding: BodyOf<typeof replaceLoginBranding>): Branding {
    const partnerId = actingPartnerId(actor)
    if (actor.orgAccess !== 'all') throw new AppError('partner_policy_access_required')
    const { logoUrl = null, accentColor = null } = branding
    const headline = branding.headline || null
    if (logoUrl !== null) assertLogo(logoUrl)
    return this.#services.db.transaction(() => {
      const now = isoNow(this.#services.clock)
      const after = { logoUrl, accentColor, headline }
      const row = { logo_url: logoUrl, accent_color: accentColor, headline, updated_at: now }
      this.#services.db.run(
        q
          .insertInto('partner_login_branding')
          .values({ partner_id: partnerId, created_at: now, ...row })
          .onConflict((conflict) => conflict.column('partner_id').doUpdateSet(row)),
      )
      this.#services.audit(actor, {
        action: 'partner.login_branding.update',
        resourceType: 'partner',
        resourceId: partnerId,
        partnerId,
        details: { partnerId, applied: { ...after, logoUrl: logoUrl !== null } },
      })
      return after
    })
  }

  /** For the sign-in page, where nobody is known yet: empty unless the appliance has exactly one partner. */
  context(): Context {
    const partnerId = this.#onlyPartner()
    if (partnerId === null) return { branding: null, partnerSso: null }
    return { branding: this.#ofPartner(partnerId), partnerSso: this.#services.ssoOf(partnerId) }
  }

  /** The foreign origin of the logo, which the console's content security policy has to permit; null for none. */
  logoOrigin(): string | null {
    const partnerId = this.#onlyPartner()
    const branding = partnerId === null ? null : this.#ofPartner(partnerId)
    return branding?.logoUrl ? logoOrigin(branding.logoUrl) : null
  }

  /** Partners of any status count; deleted ones do not. */
  #onlyPartner(): string | null {
    if (this.#services.isHosted) return null
    const [only, ...others] = this.#services.db.all(
      q.selectFrom('partners').select('id').where('deleted_at', 'is', null).limit(2),
    )
    return only && others.length === 0 ? only.id : null
  }

  #ofPartner(partnerId: string): Branding | null {
    return (
      this.#services.db.first(
        q
          .selectFrom('partner_login_branding')
          .select(['logo_url as logoUrl', 'accent_color as accentColor', 'headline'])
          .where('partner_id', '=', partnerId),
      ) ?? null
    )
  }
}
