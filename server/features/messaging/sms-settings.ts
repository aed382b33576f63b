import type { readSmsSettings, sendTestSms, updateSmsSettings } from '../../../shared/api/messaging.ts'
import type { BodyOf, ReplyOf } from '../../../shared/endpoint.ts'
import { toError } from '../../../shared/thrown.ts'
import { compileTemplate } from '../../config/gateway-template.ts'
import { type SmsConfig, twilioUrl } from '../../config/messaging.ts'
import type { Database } from '../../db/database.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { AppError, fieldError } from '../../platform/errors.ts'
import { barredHost, type Destinations } from '../../platform/outbound/index.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { StoredSetting } from '../../platform/stored-setting.ts'
import type { Fetch } from './sms.ts'

type WantedProvider = NonNullable<BodyOf<typeof sendTestSms>['settings']>
type WantedTwilio = Extract<WantedProvider, { provider: 'twilio' }>
type WantedGateway = Extract<WantedProvider, { provider: 'gateway' }>

const sealedAs = { authToken: 'settings.sms.authToken', header: 'settings.sms.header' }

interface SmsSettingsServices {
  db: Database
  secrets: Secrets
  audit: Audit
  destinations: Destinations
  /** What the environment says; it leaves nothing to the console. */
  environment: SmsConfig | null
}

/** How text messages leave the appliance. */
export class SmsSettings {
  readonly #services: SmsSettingsServices
  /** Auth token and header value are sealed. */
  readonly #stored: StoredSetting<SmsConfig>

  constructor(services: SmsSettingsServices) {
    this.#services = services
    this.#stored = new StoredSetting(services.db, 'sms')
  }

  isSet(): boolean {
    return (this.#services.environment ?? this.#stored.read()) !== null
  }

  current(): SmsConfig | null {
    return this.#services.environment ?? this.#opened()
  }

  /** Asks the provider; settings from the environment come from the machine itself, and may name a gateway on it. */
  readonly fetch: Fetch = (url, init) =>
    this.#services.environment ? fetch(url, init) : this.#services.destinations.fetch(url, init)

  /** What is in force once these settings are saved. */
  candidate(wanted: WantedProvider): SmsConfig {
    if (this.#services.environment) throw new AppError('set_by_environment')
    return wanted.provider === 'twilio' ? this.#twilio(wanted) : this.#gateway(wanted)
  }

  describe(): ReplyOf<typeof readSmsSettings> {
    const { environment } = this.#services
    const config = environment ?? this.#stored.read()
    const source = environment ? 'environment' : config ? 'stored' : 'none'
    switch (config?.provider) {
      case undefined:
        return { source, provider: null, twilio: null, gateway: null }
      case 'twilio': {
        const { provider, accountSid, from } = config
        return { source, provider, twilio: { accountSid, from, hasAuthToken: true }, gateway: null }
      }
      case 'gateway': {
        const { provider, url, format, template, header } = config
        const shown = { headerName: header?.name ?? null, hasHeaderValue: header !== null }
        return { source, provider, twilio: null, gateway: { url, format, template, ...shown } }
      }
    }
  }

  update(actor: UserActor, wanted: BodyOf<typeof updateSmsSettings>): void {
    const { db, audit, environment } = this.#services
    if (environment) throw new AppError('set_by_environment')
    const config = wanted.provider === 'none' ? null : this.candidate(wanted)
    db.transaction(() => {
      this.#stored.write(config && this.#sealed(config))
      audit(actor, {
        action: 'platform_admin.sms.settings',
        resourceType: 'settings',
        resourceName: 'sms',
        details: { provider: wanted.provider },
      })
    })
  }

  #twilio({ provider, accountSid, from, authToken }: WantedTwilio): SmsConfig {
    return { provider, accountSid, from, authToken: authToken ?? this.#keptToken(accountSid), apiUrl: twilioUrl }
  }

  #gateway({ provider, url, format, template, headerName: name, headerValue }: WantedGateway): SmsConfig {
    try {
      compileTemplate(format, template)
    } catch (error) {
      throw fieldError('template', toError(error).message)
    }
    if (this.#services.destinations.isBarred(new URL(url).hostname)) throw fieldError('url', `Address ${barredHost}`)
    const header = name === null ? null : { name, value: headerValue || this.#keptHeader(url, headerValue) }
    return { provider, url, format, template, header }
  }

  // A secret that is left out is kept, but not for another account or server, to which it would be disclosed.
  #keptToken(accountSid: string): string {
    const before = this.#opened()
    if (before?.provider === 'twilio' && before.accountSid === accountSid) return before.authToken
    throw fieldError('authToken', 'Enter the auth token of this account')
  }

  #keptHeader(url: string, wanted: string | null | undefined): string {
    const before = this.#opened()
    const isSame = before?.provider === 'gateway' && new URL(before.url).origin === new URL(url).origin
    if (wanted === undefined && isSame && before.header) return before.header.value
    throw fieldError('headerValue', 'Enter what this header says')
  }

  #opened(): SmsConfig | null {
    const { secrets } = this.#services
    return withSecrets(this.#stored.read(), (text, context) => secrets.decrypt(text, context))
  }

  #sealed(config: SmsConfig): SmsConfig {
    const { secrets } = this.#services
    return withSecrets(config, (text, context) => secrets.encrypt(text, context))
  }
}

/** The same with its secret turned into what is stored, or back. */
function withSecrets<C extends SmsConfig | null>(config: C, turn: (secret: string, context: string) => string) {
  if (config?.provider === 'twilio') return { ...config, authToken: turn(config.authToken, sealedAs.authToken) }
  if (!config?.header) return config
  return { ...config, header: { ...config.header, value: turn(config.header.value, sealedAs.header) } }
}
