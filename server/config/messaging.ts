import { z } from 'zod'
import { toError } from '../../shared/thrown.ts'
import { compileTemplate, type GatewayFormat } from './gateway-template.ts'
import { choice, flag, optionalChoice, readFirst, readVariables, sender, text, whole } from './variables.ts'

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

const providerVariables = z.object({
  SMTP_HOST: text,
  EMAIL_PROVIDER: optionalChoice(['smtp', 'file', 'none']),
  SMS_PROVIDER: choice(['twilio', 'gateway', 'none'], 'none'),
})

/** Count only where mail goes to a server. */
const smtpVariables = z.object({
  SMTP_PORT: whole(587, 1, 65_535),
  SMTP_SECURE: flag(false),
  SMTP_VERIFY_CERTIFICATE: flag(true),
  SMTP_USER: text,
  SMTP_PASS: text,
})

export function readMail(env: NodeJS.ProcessEnv): MailConfig | null {
  const { SMTP_HOST: host, EMAIL_PROVIDER: provider = host ? 'smtp' : 'none' } = readVariables(providerVariables, env)
  if (provider === 'none') return null
  const from = readFirst(sender, ['SMTP_FROM', 'EMAIL_FROM'], env)
  if (provider === 'file') return { provider, from: from ?? 'Homeport <homeport@localhost>' }
  if (!host) throw new Error('EMAIL_PROVIDER=smtp needs SMTP_HOST')
  if (!from) throw new Error('SMTP_HOST needs SMTP_FROM, the address mail comes from')
  const read = readVariables(smtpVariables, env)
  const { SMTP_USER: user = null, SMTP_PASS: password = null } = read
  if ((user === null) !== (password === null)) throw new Error('SMTP_USER and SMTP_PASS need each other')
  return {
    provider,
    host,
    port: read.SMTP_PORT,
    secure: read.SMTP_SECURE,
    verifyCertificate: read.SMTP_VERIFY_CERTIFICATE,
    user,
    password,
    from,
  }
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

/** Count only where text messages go through Twilio. */
const twilioVariables = z.object({
  TWILIO_ACCOUNT_SID: text,
  TWILIO_AUTH_TOKEN: text,
  TWILIO_FROM: text,
  // A regional endpoint, or a stand-in for tests.
  TWILIO_API_URL: text,
})

/** Count only where text messages go through a gateway. */
const gatewayVariables = z.object({
  SMS_GATEWAY_URL: text,
  SMS_GATEWAY_FORMAT: choice(['json', 'form'], 'json'),
  SMS_GATEWAY_TEMPLATE: text,
  SMS_GATEWAY_HEADER_NAME: text,
  SMS_GATEWAY_HEADER_VALUE: text,
})

export function readSms(env: NodeJS.ProcessEnv): SmsConfig | null {
  const { SMS_PROVIDER: provider } = readVariables(providerVariables, env)
  if (provider === 'none') return null
  return provider === 'twilio' ? readTwilio(env) : readGateway(env)
}

function readTwilio(env: NodeJS.ProcessEnv): SmsConfig {
  const read = readVariables(twilioVariables, env)
  return {
    provider: 'twilio',
    accountSid: needed('twilio', 'TWILIO_ACCOUNT_SID', read.TWILIO_ACCOUNT_SID),
    authToken: needed('twilio', 'TWILIO_AUTH_TOKEN', read.TWILIO_AUTH_TOKEN),
    from: needed('twilio', 'TWILIO_FROM', read.TWILIO_FROM),
    apiUrl: safeUrl('TWILIO_API_URL', read.TWILIO_API_URL ?? twilioUrl),
  }
}

function readGateway(env: NodeJS.ProcessEnv): SmsConfig {
  const read = readVariables(gatewayVariables, env)
  const { SMS_GATEWAY_FORMAT: format, SMS_GATEWAY_HEADER_NAME: name, SMS_GATEWAY_HEADER_VALUE: value } = read
  return {
    provider: 'gateway',
    url: safeUrl('SMS_GATEWAY_URL', needed('gateway', 'SMS_GATEWAY_URL', read.SMS_GATEWAY_URL)),
    format,
    template: goodTemplate(format, needed('gateway', 'SMS_GATEWAY_TEMPLATE', read.SMS_GATEWAY_TEMPLATE)),
    header: name ? { name, value: needed('gateway', 'SMS_GATEWAY_HEADER_VALUE', value) } : null,
  }
}

function needed(provider: string, name: string, value: string | undefined): string {
  if (!value) throw new Error(`SMS_PROVIDER=${provider} needs ${name}`)
  return value
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
    throw new Error(`SMS_GATEWAY_TEMPLATE ${toError(error).message}`)
  }
}
