import type { readSmsSettings, updateSmsSettings } from '../../../shared/api/messaging.ts'
import type { BodyOf, ReplyOf } from '../../../shared/endpoint.ts'
import { compileTemplate } from '../../config/gateway-template.ts'
import { type SmsConfig, twilioUrl } from '../../config/messaging.ts'
import type { Database } from '../../db/database.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { AppError, fieldError } from '../../platform/errors.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { StoredSetting } from './stored-setting.ts'

type Wanted = BodyOf<typeof updateSmsSettings>
type WantedTwilio = Extract<Wanted, { provider: 'twilio' }>
type WantedGateway = Extract<Wanted, { provider: 'gateway' }>

const sealedAs = { authToken: 'settings.sms.authToken', header: 'settings.sms.header' }

interface Deps {
  db: Database
  secrets: Secrets
  audit: Audit
  /** What the environment says; it leaves nothing to the console. */
  environment: SmsConfig | null
}

/** How text messages leave the appliance. */
export class SmsSettings {
  readonly #deps: Deps
  /** Auth token and header value are sealed. */
  readonly #stored: StoredSetting<SmsConfig>

  constructor(deps: Deps) {
    this.#deps = deps
    this.#stored = new StoredSetting(deps.db, 'sms')
  }

  isSet(): boolean {
    return (this.#deps.environment ?? this.#stored.read()) !== null
  }

  current(): SmsConfig | null {
    const { environment, secrets } = this.#deps
    const stored = this.#stored.read()
    if (environment || !stored) return environment
    if (stored.provider === 'twilio')
      return { ...stored, authToken: secrets.decrypt(stored.authToken, sealedAs.authToken) }
    const { header } = stored
    return { ...stored, header: header && { ...header, value: secrets.decrypt(header.value, sealedAs.header) } }
  }

  describe(): ReplyOf<typeof readSmsSettings> {
    const { environment } = this.#deps
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

  update(actor: UserActor, wanted: Wanted): void {
    const { db, audit, environment } = this.#deps
    if (environment) throw new AppError('set_by_environment')
    db.transaction(() => {
      this.#stored.write(this.#sealed(wanted))
      audit(actor, {
        action: 'platform_admin.sms.settings',
        resourceType: 'settings',
        resourceName: 'sms',
        details: { provider: wanted.provider },
      })
    })
  }

  #sealed(wanted: Wanted): SmsConfig | null {
    const { provider } = wanted
    if (provider === 'none') return null
    if (provider === 'twilio') {
      const { accountSid, from } = wanted
      return { provider, accountSid, from, authToken: this.#sealedToken(wanted), apiUrl: twilioUrl }
    }
    const { url, format, template } = wanted
    try {
      compileTemplate(format, template)
    } catch (error) {
      throw fieldError('template', (error as Error).message)
    }
    return { provider, url, format, template, header: this.#sealedHeader(wanted) }
  }

  // A secret that is left out is kept, but not for another account or server: whoever asks for that could be after it.
  #sealedToken({ accountSid, authToken }: WantedTwilio): string {
    if (authToken) return this.#deps.secrets.encrypt(authToken, sealedAs.authToken)
    const before = this.#stored.read()
    if (before?.provider === 'twilio' && before.accountSid === accountSid) return before.authToken
    throw fieldError('authToken', 'Enter the auth token of this account')
  }

  #sealedHeader({ url, headerName: name, headerValue }: WantedGateway): { name: string; value: string } | null {
    if (name === null) return null
    if (headerValue) return { name, value: this.#deps.secrets.encrypt(headerValue, sealedAs.header) }
    const before = this.#stored.read()
    const isSame = before?.provider === 'gateway' && new URL(before.url).origin === new URL(url).origin
    if (headerValue === undefined && isSame && before.header) return { name, value: before.header.value }
    throw fieldError('headerValue', 'Enter what this header says')
  }
}
