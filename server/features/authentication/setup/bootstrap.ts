import { randomUUIDv7 } from 'node:crypto'
import type { Config } from '../../../config/config.ts'
import type { Database } from '../../../db/database.ts'
import { toJson } from '../../../lib/json.ts'
import { type Actor, type Origin, systemActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { PublicAddressChanges } from '../../../platform/public-address-changes.ts'
import {
  anyUserExists,
  findBuiltInRole,
  findMembership,
  getUser,
  insertPartnerMembership,
  insertUser,
  type User,
} from '../../access/index.ts'
import type { NewPartners, PartnerView } from '../../partners/index.ts'
import { hashPassword } from '../passwords/hashing.ts'
import { assertStrong, weaknessOf } from '../passwords/strength.ts'
import type { RegistrationSetting } from '../registration/registration-setting.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { IssuedTokens } from '../sessions/token-pairs.ts'
import type { SetupCode } from './setup-code.ts'

export interface FirstAdministrator {
  companyName: string
  name: string
  email: string
  password: string
}

/** How the administrator sets the appliance up. */
export interface SetupCall {
  setupCode: string
  /** The address that they use. */
  address: string | null
  /** Whether anyone may register a company; undefined where they were not asked. */
  openRegistration: boolean | undefined
  origin: Origin
}

interface Dependencies {
  db: Database
  clock: Clock
  audit: Audit
  newPartners: NewPartners
  sessions: Sessions
  setupCode: SetupCode
  publicAddressChanges: PublicAddressChanges
  registrationSetting: RegistrationSetting
}

/** Sets a new appliance up with one partner and one administrator. Works while there is no user at all. */
export class Bootstrap {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  isNeeded(): boolean {
    return !anyUserExists(this.#dependencies.db)
  }

  /** The code to show to the administrator who starts the appliance; null once it is set up. */
  setupCode(): string | null {
    return this.isNeeded() ? this.#dependencies.setupCode.current() : null
  }

  /** @throws AppError `already_bootstrapped`, `setup_code_invalid`, `validation_failed` for a weak password */
  async run(
    admin: FirstAdministrator,
    { setupCode, address, openRegistration, origin }: SetupCall,
  ): Promise<{ user: User; issued: IssuedTokens; partner: PartnerView }> {
    this.#assertNeeded()
    this.#dependencies.setupCode.assertMatches(setupCode)
    assertStrong(admin.password, [admin.email, admin.name, admin.companyName])
    const passwordHash = await hashPassword(admin.password)
    const actor = systemActor('bootstrap', origin)
    const { user, partner } = this.#dependencies.db.transaction(() => {
      this.#assertNeeded()
      const partner = this.#createPartner(admin.companyName, actor)
      const user = this.#createUser(admin, passwordHash, { bootstrapSetupRequired: true })
      this.#join(user.id, partner.id)
      if (address !== null) this.#dependencies.publicAddressChanges.change(actor, address)
      if (openRegistration !== undefined) this.#dependencies.registrationSetting.store(actor, openRegistration)
      this.#dependencies.db.afterCommit(() => this.#dependencies.setupCode.remove())
      return { user, partner }
    })
    return { user, partner, issued: await this.#firstSession(user, partner.id, origin) }
  }

  /** Creates the account that `BOOTSTRAP_ADMIN_…` names, for an unattended installation. */
  async fromEnvironment(admin: NonNullable<Config['bootstrapAdmin']>): Promise<void> {
    if (!this.isNeeded()) return
    const weakness = weaknessOf(admin.password, [admin.email, admin.name])
    if (weakness) throw new Error(`BOOTSTRAP_ADMIN_PASSWORD: ${weakness}`)
    const passwordHash = await hashPassword(admin.password)
    const actor = systemActor('bootstrap')
    this.#dependencies.db.transaction(() => {
      if (!this.isNeeded()) return
      const user = this.#createUser(admin, passwordHash, { bootstrapSetupRequired: admin.scope === 'partner' })
      if (admin.scope === 'partner') this.#join(user.id, this.#createPartner('Homeport', actor).id)
      this.#dependencies.audit(actor, {
        action: 'user.create',
        resourceType: 'user',
        resourceId: user.id,
        resourceName: user.email,
        details: { scope: admin.scope },
      })
      this.#dependencies.db.afterCommit(() => this.#dependencies.setupCode.remove())
    })
  }

  async #firstSession(user: User, partnerId: string, origin: Origin): Promise<IssuedTokens> {
    const membership = findMembership(this.#dependencies.db, user)
    if (!membership) throw new AppError('internal')
    const { issued, save } = await this.#dependencies.sessions.prepare(user, membership, origin, { source: null })
    this.#dependencies.db.transaction(() => {
      save()
      this.#dependencies.audit(systemActor('bootstrap', origin), {
        action: 'user.login',
        resourceType: 'user',
        resourceId: user.id,
        resourceName: user.email,
        partnerId,
        details: { method: 'bootstrap', source: null, mfa: false, scope: 'partner' },
      })
    })
    return issued
  }

  #assertNeeded(): void {
    if (!this.isNeeded()) throw new AppError('already_bootstrapped')
  }

  #createPartner(name: string, actor: Actor): PartnerView {
    return this.#dependencies.newPartners.create({ name, type: 'internal', plan: 'unlimited' }, actor)
  }

  #createUser(
    admin: { email: string; name: string },
    passwordHash: string,
    preferences: Record<string, unknown>,
  ): User {
    const now = isoNow(this.#dependencies.clock)
    const id = randomUUIDv7()
    insertUser(this.#dependencies.db, {
      id,
      email: admin.email,
      name: admin.name,
      password_hash: passwordHash,
      status: 'active',
      is_platform_admin: 1,
      preferences: toJson(preferences),
      email_verified_at: now,
      password_changed_at: now,
      created_at: now,
      updated_at: now,
    })
    return getUser(this.#dependencies.db, id)
  }

  #join(userId: string, partnerId: string): void {
    const roleId = findBuiltInRole(this.#dependencies.db, 'Partner Admin', 'partner')
    if (roleId === undefined) throw new AppError('internal')
    insertPartnerMembership(this.#dependencies.db, {
      id: randomUUIDv7(),
      partner_id: partnerId,
      user_id: userId,
      role_id: roleId,
      org_access: 'all',
      created_at: isoNow(this.#dependencies.clock),
    })
  }
}
