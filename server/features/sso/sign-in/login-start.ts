import { z } from 'zod'
import type { Database } from '../../../db/database.ts'
import type { Origin } from '../../../platform/actor.ts'
import { limitKey } from '../../../platform/client-address.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { oldestActiveProvider } from '../../access/index.ts'
import type { ProviderOwner } from '../provider/owner.ts'
import { isOwnerUsable } from '../provider/store.ts'
import type { AuthorizationRequests } from './authorization-requests.ts'
import type { ProviderPreparation } from './provider-preparation.ts'
import { returnPath } from './return-path.ts'

/** Query parameters of a link to a sign-in; invalid values are ignored. */
export interface LoginOptions {
  redirect?: unknown
  login_hint?: unknown
  prompt?: unknown
}

interface Dependencies {
  db: Database
  limits: RateLimits
  preparation: ProviderPreparation
  authorizations: AuthorizationRequests
}

const plausibleAddress = z.string().max(320).pipe(z.email())
const prompts = ['login', 'select_account']

/** Begins a sign-in through the identity provider of an organization or a partner. */
export class LoginStart {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /**
   * @returns the address to send the browser to, and the state to bind to it by a cookie
   * @throws AppError where the owner has no provider that can be used; `sso_rate_limited`
   */
  async begin(
    owner: ProviderOwner,
    options: LoginOptions,
    origin: Origin,
  ): Promise<{ address: string; state: string }> {
    const { db, limits, preparation, authorizations } = this.#dependencies
    const from = limitKey(origin.ip)
    limits.consume('sso_login', from, 'sso_rate_limited')
    limits.consume('sso_login_target', `${from} ${owner.orgId ?? owner.partnerId}`, 'sso_rate_limited')
    const provider = isOwnerUsable(db, owner) ? oldestActiveProvider(db, owner) : undefined
    if (!provider) throw new AppError(owner.orgId === null ? 'sso_not_active_for_partner' : 'sso_not_active_here')
    if (provider.type !== 'oidc') throw new AppError('sso_login_oidc_only')
    const { login_hint, prompt } = options
    return authorizations.begin(await preparation.prepare(provider), {
      redirect: returnPath(options.redirect),
      loginHint: plausibleAddress.safeParse(login_hint).data,
      prompt: prompts.find((known) => known === prompt),
    })
  }
}
