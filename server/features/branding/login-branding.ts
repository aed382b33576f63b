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
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { assertLogo } from './logo.ts'

/** How a company presents the sign-in page. */
export class LoginBranding {
  readonly #db: Database
  readonly #clock: Clock
  readonly #audit: Audit
  readonly #isHosted: boolean

  constructor(db: Database, clock: Clock, audit: Audit, isHosted: boolean) {
    this.#db = db
    this.#clock = clock
    this.#audit = audit
    this.#isHosted = isHosted
  }

  own(actor: UserActor): Branding | null {
    return this.#ofPartner(partnerOf(actor))
  }

  /** All of it: what is left out is cleared. */
  replace(actor: UserActor, wanted: BodyOf<typeof replaceLoginBranding>): Branding {
    const partnerId = partnerOf(actor)
    if (actor.orgAccess !== 'all') throw new AppError('partner_policy_access_required')
    const { logoUrl = null, accentColor = null } = wanted
    const headline = wanted.headline || null
    if (logoUrl !== null) assertLogo(logoUrl)
    return this.#db.transaction(() => {
      const now = isoNow(this.#clock)
      const row = { logo_url: logoUrl, accent_color: accentColor, headline, updated_at: now }
      this.#db.run(
        q
          .insertInto('partner_login_branding')
          .values({ partner_id: partnerId, created_at: now, ...row })
          .onConflict((conflict) => conflict.column('partner_id').doUpdateSet(row)),
      )
      this.#audit(actor, {
        action: 'partner.login_branding.update',
        resourceType: 'partner',
        resourceId: partnerId,
        partnerId,
        details: { partnerId, applied: { logoUrl: logoUrl !== null, accentColor, headline } },
      })
      return { logoUrl, accentColor, headline }
    })
  }

  /** For a page that does not know yet who looks at it: only where there is no doubt whose page it is. */
  context(): ReplyOf<typeof loginContext> {
    const partnerId = this.#onlyPartner()
    return { branding: partnerId === null ? null : this.#ofPartner(partnerId), partnerSso: null }
  }

  /** The one foreign origin that the console may load an image from; null for none. */
  logoOrigin(): string | null {
    const { branding } = this.context()
    return branding?.logoUrl ? logoOrigin(branding.logoUrl) : null
  }

  /** Partners of any status count; deleted ones do not. */
  #onlyPartner(): string | null {
    if (this.#isHosted) return null
    const [only, ...others] = this.#db.all(
      q.selectFrom('partners').select('id').where('deleted_at', 'is', null).limit(2),
    )
    return only && others.length === 0 ? only.id : null
  }

  #ofPartner(partnerId: string): Branding | null {
    return (
      this.#db.first(
        q
          .selectFrom('partner_login_branding')
          .select(['logo_url as logoUrl', 'accent_color as accentColor', 'headline'])
          .where('partner_id', '=', partnerId),
      ) ?? null
    )
  }
}

function partnerOf({ partnerId }: UserActor): string {
  if (partnerId === null) throw new AppError('partner_context_required')
  return partnerId
}
