import { mailSender } from '../../shared/api/messaging.ts'
import { readChoice, readEnv, readFlag, readNumber } from './env.ts'
import { compileTemplate, type GatewayFormat } from './gateway-template.ts'

/** What the environment says about mail; it goes before what the administrator entered in the console. */
export type MailConfig =
  | { provider: 'file'; from: string }
  | {
      provider: 'smtp'
      host: string
      port: number
      /** TLS from the first byte; otherwise STARTTLS where the server offers it, and always when there is a password. */
      secure: boolean
      verifyCertificate: boolean
      user: string | null
      password: string | null
      from: string
    }

export function readMail(env: NodeJS.ProcessEnv): MailConfig | null {
  const host = readEnv(env, 'SMTP_HOST')
  const provider = readChoice(env, 'EMAIL_PROVIDER', ['smtp', 'file', 'none'], host ? 'smtp' : 'none')
  if (provider === 'none') return null
  const from = readSender(env, 'SMTP_FROM') ?? readSender(env, 'EMAIL_FROM')
  if (provider === 'file') return { provider, from: from ?? 'Homeport <homeport@localhost>' }
  if (!host) throw new Error('EMAIL_PROVIDER=smtp needs SMTP_HOST')
  if (!from) throw new Error('SMTP_HOST needs SMTP_FROM, the address mail comes from')
  const user = readEnv(env, 'SMTP_USER') ?? null
  const password = readEnv(env, 'SMTP_PASS') ?? null
  if ((user === null) !== (password === null)) throw new Error('SMTP_USER and SMTP_PASS need each other')
  return {
    provider,
    host,
    port: readNumber(env, 'SMTP_PORT', 587, 1, 65_535),
    secure: readFlag(env, 'SMTP_SECURE', false),
    verifyCertificate: readFlag(env, 'SMTP_VERIFY_CERTIFICATE', true),
    user,
    password,
    from,
  }
}

function readSender(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const text = readEnv(env, name)
  if (text === undefined || mailSender.safeParse(text).success) return text
  throw new Error(`${name} must be an e-mail address, with or without a name; it is "${text}"`)
}

export type SmsConfig =
  | { provider: 'twilio'; accountSid: string; authToken: string; from: string; apiUrl: string }
  | {
      provider: 'gateway'
      url: string
      format: GatewayFormat
      template: string
      header: { name: string; value: string } | null
    }

export const twilioUrl = 'https://api.twilio.com'

export function readSms(env: NodeJS.ProcessEnv): SmsConfig | null {
  const needed = (name: string): string => {
    const text = readEnv(env, name)
    if (!text) throw new Error(`SMS_PROVIDER=${provider} needs ${name}`)
    return text
  }
  const provider = readChoice(env, 'SMS_PROVIDER', ['twilio', 'gateway', 'none'], 'none')
  switch (provider) {
    case 'none':
      return null
    case 'twilio':
      return {
        provider,
        accountSid: needed('TWILIO_ACCOUNT_SID'),
        authToken: needed('TWILIO_AUTH_TOKEN'),
        from: needed('TWILIO_FROM'),
        // A regional endpoint, or a stand-in for tests.
        apiUrl: safeUrl('TWILIO_API_URL', readEnv(env, 'TWILIO_API_URL') ?? twilioUrl),
      }
    case 'gateway': {
      const name = readEnv(env, 'SMS_GATEWAY_HEADER_NAME')
      const format = readChoice(env, 'SMS_GATEWAY_FORMAT', ['json', 'form'], 'json')
      return {
        provider,
        url: safeUrl('SMS_GATEWAY_URL', needed('SMS_GATEWAY_URL')),
        format,
        template: goodTemplate(format, needed('SMS_GATEWAY_TEMPLATE')),
        header: name ? { name, value: needed('SMS_GATEWAY_HEADER_VALUE') } : null,
      }
    }
  }
}

/** Codes and credentials travel to it: encrypted, or not at all off this machine. */
function safeUrl(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const isOwn = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url?.protocol !== 'https:' && !isOwn) throw new Error(`${name} must be an https address`)
  return text
}

function goodTemplate(format: 'json' | 'form', template: string): string {
  try {
    compileTemplate(format, template)
    return template
  } catch (error) {
    throw new Error(`SMS_GATEWAY_TEMPLATE ${(error as Error).message}`)
  }
}
