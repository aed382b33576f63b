import { z } from 'zod'
import type { Database } from '../../../db/database.ts'
import type { Origin } from '../../../platform/actor.ts'
import { limitKey } from '../../../platform/client-address.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { oldestActiveProvider } from '../../access/index.ts'
import type { ProviderOwner } from '../owner.ts'
import { isOwnerUsable } from '../store.ts'
import type { Journeys } from './journeys.ts'
import type { Readiness } from './readiness.ts'
import { returnPath } from './return-path.ts'

/** What a link to a sign-in may ask for; what it makes no sense to pass on is passed over. */
export interface Wishes {
  redirect?: unknown
  login_hint?: unknown
  prompt?: unknown
}

interface Parts {
  db: Database
  limits: RateLimits
  readiness: Readiness
  journeys: Journeys
}

const plausibleAddress = z.string().max(320).pipe(z.email())
const prompts = ['login', 'select_account']

/** The beginning of the way through the identity provider of an organization or a company. */
export class LoginStart {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Where to send the browser, and the state that its cookie is made of.
   * @throws AppError for a reason to ask nobody
   */
  async begin(owner: ProviderOwner, wishes: Wishes, origin: Origin): Promise<{ address: string; state: string }> {
    const { db, limits, readiness, journeys } = this.#parts
    const from = limitKey(origin.ip)
    limits.consume('sso_login', from, 'sso_rate_limited')
    limits.consume('sso_login_target', `${from} ${owner.orgId ?? owner.partnerId}`, 'sso_rate_limited')
    const provider = isOwnerUsable(db, owner) ? oldestActiveProvider(db, owner) : undefined
    if (!provider) throw new AppError(owner.orgId === null ? 'sso_not_active_for_partner' : 'sso_not_active_here')
    if (provider.type !== 'oidc') throw new AppError('sso_login_oidc_only')
    const { login_hint, prompt } = wishes
    return journeys.begin(await readiness.ready(provider), {
      redirect: returnPath(wishes.redirect),
      loginHint: plausibleAddress.safeParse(login_hint).data,
      prompt: prompts.find((known) => known === prompt),
    })
  }
}
