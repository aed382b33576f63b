import { toError } from '../../../shared/thrown.ts'
import { compileTemplate } from '../../config/gateway-template.ts'
import type { SmsConfig } from '../../config/messaging.ts'
import { second } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { Unreachable } from '../../platform/outbound/index.ts'

/** Sends text messages through whatever provider is set up. */
export interface Sms {
  isConfigured(): boolean
  /**
   * By the provider in force, or `through` another. Rejects with `sms_unavailable` when there is none and with
   * `sms_failed` when it refuses or is silent.
   */
  send(to: string, text: string, through?: SmsConfig): Promise<void>
}

interface Provider {
  isSet(): boolean
  current(): SmsConfig | null
  fetch: Fetch
}

export type Fetch = (
  url: string,
  init: {
    method: 'POST'
    headers: Record<string, string>
    body: string
    redirect: 'manual'
    signal: AbortSignal
  },
) => Promise<{ ok: boolean; status: number; body: (AsyncIterable<Uint8Array> & { cancel(): Promise<void> }) | null }>
type Answer = Awaited<ReturnType<Fetch>>

type Message = { to: string; text: string }
type Request = { url: string; headers: Record<string, string>; body: string }

const answerLimit = 64 * 1024

export const createSms = (provider: Provider, log: Log): Sms => ({
  isConfigured: () => provider.isSet(),
  send: async (to, text, config = provider.current() ?? undefined) => {
    if (!config) throw new AppError('sms_unavailable')
    const request =
      config.provider === 'twilio' ? twilioRequest(config, to, text) : gatewayRequest(config, { to, text })
    const problem = await deliver(request, provider.fetch)
    if (problem === null) return
    const reason = without([text, ...(text.match(/\d{4,}/g) ?? []), ...credentialsIn(config)], problem)
    log.warn({ provider: config.provider, reason }, 'A text message was not taken')
    throw new AppError('sms_failed', {}, { cause: new Error(reason) })
  },
})

type Twilio = Extract<SmsConfig, { provider: 'twilio' }>
function twilioRequest({ apiUrl, accountSid, authToken, from }: Twilio, to: string, text: string): Request {
  const sender = from.startsWith('MG') ? 'MessagingServiceSid' : 'From'
  return {
    url: `${apiUrl.replace(/\/+$/, '')}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`,
    headers: {
      authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: String(new URLSearchParams({ To: to, [sender]: from, Body: text })),
  }
}

type Gateway = Extract<SmsConfig, { provider: 'gateway' }>
const gatewayRequest = ({ url, format, template, header }: Gateway, message: Message): Request => ({
  url,
  headers: {
    'content-type': format === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
    ...(header && { [header.name]: header.value }),
  },
  body: compileTemplate(format, template)(message),
})

/** Null when the provider took it; else what it said, or why it said nothing. */
async function deliver({ url, headers, body }: Request, fetch: Fetch): Promise<string | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      // Credentials and codes go where the administrator said, and nowhere else.
      redirect: 'manual',
      signal: AbortSignal.timeout(10 * second),
    })
    if (response.ok) {
      await response.body?.cancel()
      return null
    }
    return `${response.status} ${await beginningOf(response)}`.trim()
  } catch (error) {
    if (error instanceof Unreachable) return error.message
    const { name, message, cause } = toError(error)
    if (name === 'TimeoutError') return 'No answer within ten seconds'
    return cause instanceof Error ? cause.message : message
  }
}

async function beginningOf(response: Answer): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > answerLimit) return '(an answer too long to read)'
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8').replace(/\s+/g, ' ').slice(0, 500)
}

/** Some providers repeat what they were sent; neither a code nor a credential must get to a log or screen that way. */
const without = (secrets: string[], reason: string): string =>
  secrets.reduce((words, secret) => words.replaceAll(secret, '…'), reason)

/** A header may say what kind of credential it holds, and be told without that; what is short is none. */
const credentialsIn = (config: SmsConfig): string[] =>
  (config.provider === 'twilio' ? [config.authToken] : (config.header?.value.split(/\s+/) ?? [])).filter(
    ({ length }) => length >= 4,
  )
