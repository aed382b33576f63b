import { generateSecret, generateURI } from 'otplib'
import { toDataURL } from 'qrcode'
import { z } from 'zod'
import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { minute } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { Secrets } from '../../../platform/secrets.ts'
import { codeFactorOf, type MfaPolicy, type User } from '../../access/index.ts'
import type { FactorNews } from '../../messaging/index.ts'
import type { OneTimeSecrets } from '../one-time-secrets/one-time-secrets.ts'
import { recordingRefusals, signedInUser } from '../sessions/signed-in-user.ts'
import type { IssuedTokens } from '../sessions/token-pairs.ts'
import { type CodeMethod, sixDigits } from './code-method.ts'
import type { FactorChanges } from './factor-changes.ts'
import type { Reauthentication, ReauthenticationProof } from './reauthentication.ts'
import type { RecoveryCodes } from './recovery-codes.ts'
import type { TotpCodes } from './totp-codes.ts'

const setupLifeMs = 10 * minute

/** How many earlier secrets of a setup are remembered, to recognize a code of one that was scanned before the last. */
const maxFormerSecrets = 3

const setupSchema = z.object({
  secret: z.string(),
  recoveryCodes: z.array(z.string()),
  /** Secrets this one has replaced before they were confirmed. Their codes confirm nothing. Older versions stored none. */
  former: z.array(z.string()).default([]),
})
type Setup = z.infer<typeof setupSchema>

/** The stored setup, which waits for a code. */
interface PendingSetup {
  sealed: string
  sessionId: string
  authEpoch: number
  mfaEpoch: number
}

/** Body of a request to begin the setup; `replace`: the new app replaces the present app or phone. */
export interface TotpSetupRequest extends ReauthenticationProof {
  replace?: boolean | undefined
  /** Continue the setup this session began, instead of with a new secret. */
  resume?: boolean | undefined
}

interface Dependencies {
  db: Database
  oneTimeSecrets: OneTimeSecrets
  secrets: Secrets
  limits: RateLimits
  policy: MfaPolicy
  reauthentication: Reauthentication
  factorChanges: FactorChanges
  recoveryCodes: RecoveryCodes
  totpCodes: TotpCodes
  audit: Audit
}

/** Enrolling an authenticator app. */
export class TotpSetup {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** Begins the setup: a secret kept encrypted for ten minutes. No factor changes before it is confirmed. */
  async setup(actor: UserActor, { replace, resume, ...proof }: TotpSetupRequest) {
    const { db, policy, reauthentication } = this.#dependencies
    const user = signedInUser(db, actor)
    if (codeFactorOf(user) && !replace) throw new AppError('mfa_already_enabled')
    if (!policy.factorRulesOf(user, actor).allowed.totp) throw new AppError('totp_not_allowed')
    await reauthentication.assertOwner(actor, user, proof.currentPassword, 'mfa')
    // Asked for before the new app is set up, because the user may remove the old one then. The grant is used up by the
    // confirmation.
    if (replace) reauthentication.assertFactor(actor, user, proof.stepUpGrantId, 'add_factor')
    const pending = this.#findSetup(user)
    // Never a setup of another session, whose secret somebody else may know.
    const isResumed = resume && pending?.sessionId === actor.sessionId
    const { secret, recoveryCodes } = isResumed ? pending.setup : this.#begin(actor, user, pending?.setup)
    const otpAuthUrl = generateURI({ issuer: 'Homeport', label: user.email, secret })
    return { secret, recoveryCodes, otpAuthUrl, qrCodeDataUrl: await toDataURL(otpAuthUrl, { margin: 1, width: 240 }) }
  }

  /**
   * Whether a code sent to the general endpoint confirms a setup the user has begun. A user who already holds an app or
   * phone may mean that one, so a replacement is confirmed by `enable` only.
   */
  isConfirmedBy(actor: UserActor, code: string, method: CodeMethod | undefined): boolean {
    const user = signedInUser(this.#dependencies.db, actor)
    const isFromApp = method === 'totp' || (method === undefined && sixDigits.test(code))
    return isFromApp && codeFactorOf(user) === null && this.#findSetup(user) !== null
  }

  /** Confirms the setup with a code of the new app, which replaces the present code factor. Ends all other sessions. */
  enable(
    actor: UserActor,
    code: string,
    proof: ReauthenticationProof,
  ): Promise<{ issued: IssuedTokens; recoveryCodes: string[] }> {
    const { db, audit, limits, policy, reauthentication, factorChanges, secrets, recoveryCodes, totpCodes } =
      this.#dependencies
    return recordingRefusals(audit, actor, 'auth.mfa.setup.failed', async () => {
      limits.consume('mfa_setup', actor.userId)
      await reauthentication.assertOwner(actor, signedInUser(db, actor), proof.currentPassword, 'mfa')
      const user = signedInUser(db, actor)
      if (!policy.factorRulesOf(user, actor).allowed.totp) throw new AppError('totp_not_allowed')
      const useGrant = reauthentication.assertFactor(actor, user, proof.stepUpGrantId, 'add_factor')
      const pending = this.#findSetup(user)
      if (!pending) throw new AppError('mfa_setup_missing')
      const { setup, consume } = pending
      const step = totpCodes.matchingStep(setup.secret, code)
      if (step === null) {
        const isSuperseded = setup.former.some((secret) => totpCodes.matchingStep(secret, code) !== null)
        throw new AppError('mfa_code_invalid', isSuperseded ? { reason: 'superseded' } : {})
      }
      const replaced = codeFactorOf(user)
      const issued = await factorChanges.commit(actor, {
        session: 'rebind',
        source: 'totp',
        reason: changeOf(replaced),
        event: { action: 'auth.mfa.setup', details: { method: 'totp', ...(replaced && { replaced }) } },
        apply: () => {
          useGrant()
          if (!consume()) throw new AppError('mfa_setup_missing')
          totpCodes.spendStep(user.id, setup.secret, step)
          return {
            mfa_secret: secrets.encrypt(setup.secret, `mfa_secret:${user.id}`),
            mfa_enabled: 1,
            mfa_method: 'totp',
            mfa_recovery_codes: recoveryCodes.hashed(setup.recoveryCodes),
            // Otherwise the phone would become a factor again when the last passkey is deleted.
            ...(replaced === 'sms' && { phone_number: null, phone_verified: 0 }),
          }
        },
      })
      return { issued, recoveryCodes: setup.recoveryCodes }
    })
  }

  #begin(actor: UserActor, user: User, before: Setup | undefined): Setup {
    const { oneTimeSecrets, secrets, recoveryCodes } = this.#dependencies
    const former = before ? [before.secret, ...before.former].slice(0, maxFormerSecrets) : []
    const setup: Setup = { secret: generateSecret({ length: 20 }), recoveryCodes: recoveryCodes.generate(), former }
    const payload: PendingSetup = {
      sealed: secrets.encrypt(JSON.stringify(setup), `mfa_setup:${user.id}`),
      sessionId: actor.sessionId,
      authEpoch: user.auth_epoch,
      mfaEpoch: user.mfa_epoch,
    }
    oneTimeSecrets.put('mfa_setup', user.id, { userId: user.id, payload, lifeMs: setupLifeMs })
    return setup
  }

  /** Null where none was begun, it has expired, or the password or the factors have changed since. */
  #findSetup(user: User): { setup: Setup; sessionId: string; consume: () => boolean } | null {
    const { oneTimeSecrets, secrets } = this.#dependencies
    const found = oneTimeSecrets.find<PendingSetup>('mfa_setup', user.id)
    if (found?.payload.mfaEpoch !== user.mfa_epoch || found.payload.authEpoch !== user.auth_epoch) return null
    const setup = setupSchema.parse(JSON.parse(secrets.decrypt(found.payload.sealed, `mfa_setup:${user.id}`)))
    return { setup, sessionId: found.payload.sessionId, consume: found.consume }
  }
}

function changeOf(replaced: 'totp' | 'sms' | null): FactorNews {
  if (replaced === null) return 'authenticator-app-added'
  return replaced === 'totp' ? 'authenticator-app-replaced' : 'switched-to-app'
}
