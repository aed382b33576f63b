import type { readMailSettings, updateMailSettings } from '../../../shared/api/messaging.ts'
import type { BodyOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { MailConfig } from '../../config/messaging.ts'
import type { Database } from '../../db/database.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { AppError, fieldError } from '../../platform/errors.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { fileTransport } from './mail-files.ts'
import { type SmtpConfig, smtpTransport } from './mail-smtp.ts'
import type { MailTransport } from './mail-transport.ts'
import { StoredSetting } from './stored-setting.ts'

/** The password is sealed. */
type Stored = Omit<SmtpConfig, 'provider'>

const sealedAs = 'settings.mail.password'

interface Deps {
  db: Database
  secrets: Secrets
  audit: Audit
  /** What the environment says; it leaves nothing to the console. */
  environment: MailConfig | null
  dataDir: string
  /** Inside the transaction of the change. */
  onChange: () => void
}

/** How mail leaves the appliance. */
export class MailSettings {
  readonly #deps: Deps
  readonly #stored: StoredSetting<Stored>
  #transport: MailTransport | null | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#stored = new StoredSetting(deps.db, 'mail')
  }

  /** Null while there is no way out; the same object until the settings change. */
  readonly transport = (): MailTransport | null => {
    if (this.#transport === undefined) {
      const config = this.#current()
      if (config?.provider === 'file') this.#transport = fileTransport(this.#deps.dataDir, config.from)
      else this.#transport = config && smtpTransport(config)
    }
    return this.#transport
  }

  describe(): ReplyOf<typeof readMailSettings> {
    const { environment } = this.#deps
    const stored = this.#stored.read()
    if (environment?.provider === 'file') return { source: 'environment', provider: 'file', smtp: null }
    const smtp = environment ?? stored
    if (!smtp) return { source: 'none', provider: null, smtp: null }
    const { password, ...visible } = smtp
    return {
      source: environment ? 'environment' : 'stored',
      provider: 'smtp',
      smtp: { ...visible, hasPassword: password !== null },
    }
  }

  update(actor: UserActor, { smtp }: BodyOf<typeof updateMailSettings>): void {
    const { db, audit, environment, onChange } = this.#deps
    if (environment) throw new AppError('set_by_environment')
    db.transaction(() => {
      this.#stored.write(smtp && { ...smtp, password: this.#sealedPassword(smtp) })
      audit(actor, {
        action: 'platform_admin.mail.settings',
        resourceType: 'settings',
        resourceName: 'mail',
        details: smtp ? { host: smtp.host, port: smtp.port, user: smtp.user, from: smtp.from } : { removed: true },
      })
      db.afterCommit(() => {
        this.#transport = undefined
      })
      onChange()
    })
  }

  /** A password that is left out is kept, but not for another server: whoever asks for that could be after it. */
  #sealedPassword({ host, user, password }: NonNullable<BodyOf<typeof updateMailSettings>['smtp']>): string | null {
    if (user === null) return null
    if (password) return this.#deps.secrets.encrypt(password, sealedAs)
    const before = this.#stored.read()
    const kept = password === undefined && before?.host === host ? before.password : null
    if (!kept) throw fieldError('smtp.password', 'Enter the password of this user')
    return kept
  }

  #current(): MailConfig | null {
    const { environment, secrets } = this.#deps
    if (environment) return environment
    const stored = this.#stored.read()
    if (!stored) return null
    const password = stored.password === null ? null : secrets.decrypt(stored.password, sealedAs)
    return { provider: 'smtp', ...stored, password }
  }
}
