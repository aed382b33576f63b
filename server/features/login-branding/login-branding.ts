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

type Context = ReplyOf<typeof loginContext>

interface Parts {
  db: Database
  clock: Clock
  audit: Audit
  isHosted: boolean
  /** The identity provider that a company offers everybody who works there. */
  ssoOf: (partnerId: string) => Context['partnerSso']
}

/** How a company presents the sign-in page. */
export class LoginBranding {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
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
    return this.#parts.db.transaction(() => {
      const now = isoNow(this.#parts.clock)
      const row = { logo_url: logoUrl, accent_color: accentColor, headline, updated_at: now }
      this.#parts.db.run(
        q
          .insertInto('partner_login_branding')
          .values({ partner_id: partnerId, created_at: now, ...row })
          .onConflict((conflict) => conflict.column('partner_id').doUpdateSet(row)),
      )
      this.#parts.audit(actor, {
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
  context(): Context {
    const partnerId = this.#onlyPartner()
    if (partnerId === null) return { branding: null, partnerSso: null }
    return { branding: this.#ofPartner(partnerId), partnerSso: this.#parts.ssoOf(partnerId) }
  }

  /** The one foreign origin that the console may load an image from; null for none. */
  logoOrigin(): string | null {
    const partnerId = this.#onlyPartner()
    const branding = partnerId === null ? null : this.#ofPartner(partnerId)
    return branding?.logoUrl ? logoOrigin(branding.logoUrl) : null
  }

  /** Partners of any status count; deleted ones do not. */
  #onlyPartner(): string | null {
    if (this.#parts.isHosted) return null
    const [only, ...others] = this.#parts.db.all(
      q.selectFrom('partners').select('id').where('deleted_at', 'is', null).limit(2),
    )
    return only && others.length === 0 ? only.id : null
  }

  #ofPartner(partnerId: string): Branding | null {
    return (
      this.#parts.db.first(
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
