import type { readMailSettings, updateMailSettings } from '../../../shared/api/messaging.ts'
import type { MailDelivery } from '../../../shared/api/registration.ts'
import type { BodyOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { MailConfig } from '../../config/messaging.ts'
import type { Database } from '../../db/database.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { AppError, fieldError } from '../../platform/errors.ts'
import { barredHost, type Destinations } from '../../platform/outbound/index.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { StoredSetting } from '../../platform/stored-setting.ts'
import { fileTransport, mailFolder } from './mail-files.ts'
import { type SmtpConfig, smtpProblem, smtpTransport } from './mail-smtp.ts'
import type { MailTransport } from './mail-transport.ts'

type SmtpInput = NonNullable<BodyOf<typeof updateMailSettings>['smtp']>
/** The password is sealed. */
type Stored = Omit<SmtpConfig, 'provider'>

const sealedAs = 'settings.mail.password'

interface MailSettingsServices {
  db: Database
  secrets: Secrets
  audit: Audit
  destinations: Destinations
  /** What the environment says; it leaves nothing to the console. */
  environment: MailConfig | null
  dataDir: string
  /** Inside the transaction of the change. */
  onChange: () => void
}

/** How mail leaves the appliance. */
export class MailSettings {
  readonly #services: MailSettingsServices
  readonly #stored: StoredSetting<Stored>
  #transport: MailTransport | null | undefined

  constructor(services: MailSettingsServices) {
    this.#services = services
    this.#stored = new StoredSetting(services.db, 'mail')
  }

  /** Null while there is no way out; the same object until the settings change. */
  readonly transport = (): MailTransport | null => {
    if (this.#transport === undefined) {
      const config = this.#current()
      if (config?.provider === 'file') this.#transport = fileTransport(this.#services.dataDir, config.from)
      else this.#transport = config && smtpTransport(config, this.#destinations())
    }
    return this.#transport
  }

  /** What becomes of mail now. */
  readonly delivery = (): MailDelivery => {
    if (this.#services.environment?.provider === 'file') return 'file'
    return this.transport() === null ? 'none' : 'server'
  }

  describe(): ReplyOf<typeof readMailSettings> {
    const { environment, dataDir } = this.#services
    const stored = this.#stored.read()
    if (environment?.provider === 'file')
      return { source: 'environment', provider: 'file', folder: mailFolder(dataDir), smtp: null }
    const smtp = environment ?? stored
    if (!smtp) return { source: 'none', provider: null, folder: null, smtp: null }
    const { password, ...visible } = smtp
    return {
      source: environment ? 'environment' : 'stored',
      provider: 'smtp',
      folder: null,
      smtp: { ...visible, hasPassword: password !== null },
    }
  }

  /** The transport that these settings would make. @throws AppError `set_by_environment`, `validation_failed` */
  candidate(wanted: SmtpInput): MailTransport {
    if (this.#services.environment) throw new AppError('set_by_environment')
    this.#assertReachable(wanted)
    return smtpTransport({ provider: 'smtp', ...wanted, password: this.#passwordFor(wanted) }, this.#destinations())
  }

  /** Why the mail server in force does not have us, in its words; null when it does. Takes ten seconds at most. */
  async problem(): Promise<string | null> {
    const config = this.#current()
    return config?.provider === 'smtp' ? smtpProblem(config, this.#destinations()) : null
  }

  update(actor: UserActor, { smtp }: BodyOf<typeof updateMailSettings>): void {
    const { db, secrets, audit, environment, onChange } = this.#services
    if (environment) throw new AppError('set_by_environment')
    if (smtp) this.#assertReachable(smtp)
    const password = smtp && this.#passwordFor(smtp)
    db.transaction(() => {
      this.#stored.write(smtp && { ...smtp, password: password && secrets.encrypt(password, sealedAs) })
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

  /** A password that is left out is kept, but not for another server, to which it would be disclosed. */
  #passwordFor({ host, port, user, verifyCertificate, password }: SmtpInput): string | null {
    if (user === null) return null
    if (password) return password
    const before = this.#stored.read()
    // Without the check of the certificate, another server may stand there under the same name.
    const isKnown = verifyCertificate || before?.verifyCertificate === false
    const isSame = isKnown && before?.host === host && before.port === port && before.user === user
    if (password === undefined && isSame && before.password)
      return this.#services.secrets.decrypt(before.password, sealedAs)
    throw fieldError('smtp.password', 'Enter the password of this user')
  }

  /** Settings of the environment come from the administrator of the machine and may name any host. */
  #destinations(): Destinations | null {
    return this.#services.environment ? null : this.#services.destinations
  }

  #assertReachable({ host }: SmtpInput): void {
    if (this.#services.destinations.isBarred(host))
      throw fieldError('smtp.host', `Host ${barredHost}; a mail server there is set with SMTP_HOST`)
  }

  #current(): MailConfig | null {
    const { environment, secrets } = this.#services
    if (environment) return environment
    const stored = this.#stored.read()
    if (!stored) return null
    const password = stored.password === null ? null : secrets.decrypt(stored.password, sealedAs)
    return { provider: 'smtp', ...stored, password }
  }
}
