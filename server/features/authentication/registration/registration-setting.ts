import type { Database } from '../../../db/database.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { AppError } from '../../../platform/errors.ts'
import { StoredSetting } from '../../../platform/stored-setting.ts'

interface Dependencies {
  db: Database
  audit: Audit
  /** What the environment says; null for nothing. */
  environment: boolean | null
}

/** Whether strangers may register a company of their own: where nobody was asked, they may. */
export class RegistrationSetting {
  readonly #dependencies: Dependencies
  readonly #stored: StoredSetting<{ isOpen: boolean }>

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
    this.#stored = new StoredSetting(dependencies.db, 'registration')
  }

  readonly isOpen = (): boolean => this.#dependencies.environment ?? this.#stored.read()?.isOpen ?? true

  get isSetByEnvironment(): boolean {
    return this.#dependencies.environment !== null
  }

  /** @throws AppError `set_by_environment` */
  change(actor: Actor, isOpen: boolean): void {
    if (this.isSetByEnvironment) throw new AppError('set_by_environment')
    this.store(actor, isOpen)
  }

  /** Also where the environment overrules it for now. */
  store(actor: Actor, isOpen: boolean): void {
    const { db, audit } = this.#dependencies
    db.transaction(() => {
      const before = this.#stored.read()?.isOpen ?? null
      this.#stored.write({ isOpen })
      audit(actor, {
        action: 'platform_admin.registration',
        resourceType: 'settings',
        resourceName: 'registration',
        details: { before, after: isOpen },
      })
    })
  }
}
