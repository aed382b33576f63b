import { randomUUIDv7 } from 'node:crypto'
import type { Config } from '../../../config/config.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Actor, type Origin, systemActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { NewPartners, PartnerView } from '../../partners/index.ts'
import { hashPassword } from '../passwords/hashing.ts'
import { assertStrong, weaknessOf } from '../passwords/strength.ts'
import { findBuiltInRole } from '../../access/roles/built-in.ts'
import type { Issued } from '../sessions/token-pairs.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { anyUserExists, findMembership, findUser, type User } from '../../access/users/store.ts'
import type { SetupCode } from './setup-code.ts'

export interface FirstAdministrator {
  companyName: string
  name: string
  email: string
  password: string
}

/** The first start: one company, one administrator. Works while there is no user at all. */
export class Bootstrap {
  readonly #db: Database
  readonly #clock: Clock
  readonly #audit: Audit
  readonly #newPartners: NewPartners
  readonly #sessions: Sessions
  readonly #setupCode: SetupCode

  constructor(
    db: Database,
    clock: Clock,
    audit: Audit,
    newPartners: NewPartners,
    sessions: Sessions,
    setupCode: SetupCode,
  ) {
    this.#db = db
    this.#clock = clock
    this.#audit = audit
    this.#newPartners = newPartners
    this.#sessions = sessions
    this.#setupCode = setupCode
  }

  isNeeded(): boolean {
    return !anyUserExists(this.#db)
  }

  /** The code to show to whoever starts the appliance; null once it is set up. */
  setupCode(): string | null {
    return this.isNeeded() ? this.#setupCode.current() : null
  }

  async run(
    wanted: FirstAdministrator,
    setupCode: string,
    origin: Origin,
  ): Promise<{ user: User; issued: Issued; partner: PartnerView }> {
    this.#assertNeeded()
    this.#setupCode.assertMatches(setupCode)
    assertStrong(wanted.password, [wanted.email, wanted.name, wanted.companyName])
    const passwordHash = await hashPassword(wanted.password)
    const actor = systemActor('bootstrap', origin)
    const { user, partner } = this.#db.transaction(() => {
      this.#assertNeeded()
      const partner = this.#createPartner(wanted.companyName, actor)
      const user = this.#createUser(wanted, passwordHash, { bootstrapSetupRequired: true })
      this.#join(user.id, partner.id)
      this.#db.afterCommit(() => this.#setupCode.remove())
      return { user, partner }
    })
    return { user, partner, issued: await this.#firstSession(user, partner.id, origin) }
  }

  /** The account that the environment names, for boxes without anybody in front of them. */
  async fromEnvironment(wanted: NonNullable<Config['bootstrapAdmin']>): Promise<void> {
    if (!this.isNeeded()) return
    const weakness = weaknessOf(wanted.password, [wanted.email, wanted.name])
    if (weakness) throw new Error(`BOOTSTRAP_ADMIN_PASSWORD: ${weakness}`)
    const passwordHash = await hashPassword(wanted.password)
    const actor = systemActor('bootstrap')
    this.#db.transaction(() => {
      if (!this.isNeeded()) return
      const user = this.#createUser(wanted, passwordHash, { bootstrapSetupRequired: wanted.scope === 'partner' })
      if (wanted.scope === 'partner') this.#join(user.id, this.#createPartner('Homeport', actor).id)
      this.#audit(actor, {
        action: 'user.create',
        resourceType: 'user',
        resourceId: user.id,
        resourceName: user.email,
        details: { scope: wanted.scope },
      })
      this.#db.afterCommit(() => this.#setupCode.remove())
    })
  }

  async #firstSession(user: User, partnerId: string, origin: Origin): Promise<Issued> {
    const membership = findMembership(this.#db, user)
    if (!membership) throw new AppError('internal')
    const { issued, save } = await this.#sessions.prepare(user, membership, origin, { source: null })
    this.#db.transaction(() => {
      save()
      this.#audit(systemActor('bootstrap', origin), {
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
    return this.#newPartners.create({ name, type: 'internal', plan: 'unlimited' }, actor)
  }

  #createUser(wanted: { email: string; name: string }, passwordHash: string, preferences: object): User {
    const now = isoNow(this.#clock)
    const id = randomUUIDv7()
    this.#db.run(
      q.insertInto('users').values({
        id,
        email: wanted.email,
        name: wanted.name,
        password_hash: passwordHash,
        status: 'active',
        is_platform_admin: 1,
        preferences: JSON.stringify(preferences),
        email_verified_at: now,
        password_changed_at: now,
        created_at: now,
        updated_at: now,
      }),
    )
    return findUser(this.#db, id) as User
  }

  #join(userId: string, partnerId: string): void {
    this.#db.run(
      q.insertInto('partner_users').values({
        id: randomUUIDv7(),
        partner_id: partnerId,
        user_id: userId,
        role_id: findBuiltInRole(this.#db, 'Partner Admin', 'partner') as string,
        org_access: 'all',
        created_at: isoNow(this.#clock),
      }),
    )
  }
}
