import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as bodyOf } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../test/helpers/real-appliance.ts'
import type { SmsConfig } from '../../config/messaging.ts'
import { AppError } from '../../platform/errors.ts'
import { createLog, silentLog } from '../../platform/log.ts'
import { createSms } from './sms.ts'

interface Heard {
  method: string | undefined
  url: string | undefined
  headers: IncomingHttpHeaders
  body: string
}

/** A fake SMS provider on this machine. */
async function provider(answer: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>) {
  const heard: Heard[] = []
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request
    heard.push({ method, url, headers, body: await bodyOf(request) })
    await answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
const accepting = () => provider((_request, response) => void response.writeHead(201).end('{"sid":"SM1"}'))

const smsBy = (config: SmsConfig | null, log = silentLog()) =>
  createSms({ isSet: () => config !== null, current: () => config, fetch }, log)
const twilio = (apiUrl: string, from = '+15550001'): SmsConfig => ({
  provider: 'twilio',
  accountSid: 'AC0123',
  authToken: 'hush',
  from,
  apiUrl,
})
const gateway = (url: string, template = '{"to":"{{to}}","body":"{{text}}"}'): SmsConfig => ({
  provider: 'gateway',
  url,
  format: 'json',
  template,
  header: { name: 'X-Api-Key', value: 'hush' },
})

const number = '+491701234567'
const message = '123456 is your "Homeport" code & {{to}}'
const failure = async (sending: Promise<void>): Promise<string> => {
  const error = await sending.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(AppError)
  expect(error).toMatchObject({ code: 'sms_failed', extra: {} })
  return ((error as AppError).cause as Error).message
}

test.each([
  ['+15550001', 'From'],
  ['MG0123456789', 'MessagingServiceSid'],
])('a Twilio request has the path, authentication and form fields of its API, from %s', async (from, field) => {
  const { heard, url } = await accepting()
  await smsBy(twilio(url, from)).send(number, message)
  expect(heard).toHaveLength(1)
  const { method, url: path, headers, body } = heard[0] as Heard
  expect({ method, path }).toEqual({ method: 'POST', path: '/2010-04-01/Accounts/AC0123/Messages.json' })
  expect(headers.authorization).toBe(`Basic ${btoa('AC0123:hush')}`)
  expect(headers['content-type']).toBe('application/x-www-form-urlencoded')
  expect(Object.fromEntries(new URLSearchParams(body))).toEqual({ To: number, [field]: from, Body: message })
})

test('a gateway gets the JSON template filled in, with the message escaped', async () => {
  const { heard, url } = await accepting()
  const template = '{"messages":[{"to":["{{to}}"],"content":"Box: {{text}}","{{to}}":1,"flash":false,"ttl":null}]}'
  await smsBy(gateway(`${url}/send?x=1`, template)).send(number, message)
  const { method, url: path, headers, body } = heard[0] as Heard
  expect({ method, path }).toEqual({ method: 'POST', path: '/send?x=1' })
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-api-key': 'hush' })
  expect(JSON.parse(body)).toEqual({
    messages: [{ to: [number], content: `Box: ${message}`, '{{to}}': 1, flash: false, ttl: null }],
  })
})

test('a gateway gets the form template filled in, with the message encoded', async () => {
  const { heard, url } = await accepting()
  const config = { ...gateway(url, 'to={{to}}&body=Box:+{{text}}&type=1'), format: 'form', header: null } as SmsConfig
  await smsBy(config).send(number, 'a=1&to=+49999 %41 {{text}}')
  const { headers, body } = heard[0] as Heard
  expect(headers['content-type']).toBe('application/x-www-form-urlencoded')
  expect([...new URLSearchParams(body)]).toEqual([
    ['to', number],
    ['body', 'Box: a=1&to=+49999 %41 {{text}}'],
    ['type', '1'],
  ])
})

test('a credential that a gateway repeats in its refusal is kept out of the log and the error', async () => {
  const lines: string[] = []
  const log = createLog('trace', { write: (line) => void lines.push(line) })
  const { url } = await provider(({ headers }, response) => {
    response.writeHead(401).end(`Unknown key ${String(headers.authorization).slice(7)}, got ${headers.authorization}`)
  })
  const header = { name: 'Authorization', value: 'Bearer hush-hush' }
  const words = await failure(smsBy({ ...gateway(url), header } as SmsConfig, log).send(number, message))
  for (const said of [words, lines.join('')]) {
    expect(said).toContain('Unknown key')
    expect(said).not.toContain('hush-hush')
  }
})

test("a provider's refusal is logged without the code in the message and without credentials", async () => {
  const lines: string[] = []
  const log = createLog('trace', { write: (line) => void lines.push(line) })
  const { url } = await provider((_request, response) => {
    response.writeHead(400).end(JSON.stringify({ code: 21211, message: 'Invalid number', text: message, id: '123456' }))
  })
  const words = await failure(smsBy(twilio(url), log).send(number, message))
  expect(words).toContain('400')
  expect(words).toContain('Invalid number')
  for (const said of [words, lines.join('')]) {
    expect(said).toContain('Invalid number')
    for (const secret of ['123456', 'hush', btoa('AC0123:hush')]) expect(said).not.toContain(secret)
  }
})

test('a redirect is not followed', async () => {
  const elsewhere = await accepting()
  const { url } = await provider(
    (_request, response) => void response.writeHead(307, { location: elsewhere.url }).end(),
  )
  expect(await failure(smsBy(gateway(url)).send(number, message))).toBe('307')
  expect(elsewhere.heard).toEqual([])
})

test('an endless error response is cut off and reported as too long', async () => {
  const endless = async function* () {
    for (;;) yield 'x'.repeat(16_384)
  }
  const hungUp = Promise.withResolvers<void>()
  const { url } = await provider((_request, response) => {
    response.writeHead(500)
    return pipeline(endless, response).catch(() => hungUp.resolve())
  })
  expect(await failure(smsBy(gateway(url)).send(number, message))).toBe('500 (an answer too long to read)')
  await hungUp.promise
})

test('a text message fails when the provider does not answer within ten seconds', async () => {
  const { url } = await provider(() => {})
  const began = Date.now()
  expect(await failure(smsBy(gateway(url)).send(number, message))).toBe('No answer within ten seconds')
  expect(Date.now() - began).toBeGreaterThan(9_000)
})

test('a text message fails when the provider refuses the connection', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  expect(await failure(smsBy(twilio(url)).send(number, message))).toContain('ECONNREFUSED')
})

test('without a provider, sending a text message fails with sms_unavailable', async () => {
  const sms = smsBy(null)
  expect(sms.isConfigured()).toBe(false)
  await expect(sms.send(number, message)).rejects.toMatchObject({ code: 'sms_unavailable' })
})
