import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { text as bodyOf } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { Mailer } from '../../server/features/messaging/mailer.ts'
import {
  discardMail,
  listMail,
  readMailSettings,
  readSmsSettings,
  retryMail,
  sendTestMail,
  sendTestSms,
  updateMailSettings,
  updateSmsSettings,
} from '../../shared/api/messaging.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { eventually } from '../helpers/eventually.ts'
import { bootstrapped, password } from '../helpers/factories.ts'
import { mailsOf, mailToFiles, setMailState } from '../helpers/mail.ts'
import { mailServer, Reply } from '../helpers/mail-server.ts'
import { privateHost } from '../helpers/private-host.ts'
import { freePort } from '../helpers/real-appliance.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

type MailBody = InputOf<typeof updateMailSettings>['body']
type SmsBody = InputOf<typeof updateSmsSettings>['body']
type SmsSettings = InputOf<typeof sendTestSms>['body']['settings']

/** The administrator of the appliance, with the calls about mail and text messages. */
async function desk(app: TestApp) {
  const admin = await bootstrapped(app)
  const { token } = admin
  return {
    admin,
    list: async (query: InputOf<typeof listMail>['query'] = {}) =>
      (await app.call(listMail, { query }, { token })).body,
    retry: (id: string) => app.call(retryMail, { params: { id } }, { token }),
    discard: (id: string) => app.call(discardMail, { params: { id } }, { token }),
    testMail: (to = 'ada@acme.test', smtp?: MailBody['smtp']) =>
      app.call(sendTestMail, { body: { to, ...(smtp && { smtp }) } }, { token }),
    mailSettings: async () => (await app.call(readMailSettings, {}, { token })).body,
    setMail: (body: MailBody) => app.call(updateMailSettings, { body }, { token }),
    testSms: (settings?: SmsSettings) =>
      app.call(sendTestSms, { body: { to: '+491701234567', ...(settings && { settings }) } }, { token }),
    smsSettings: async () => (await app.call(readSmsSettings, {}, { token })).body,
    setSms: (body: SmsBody) => app.call(updateSmsSettings, { body }, { token }),
  }
}

const notify = (app: TestApp, to: string) =>
  new Mailer(app.app.mailQueue).send({
    kind: 'registration-attempted',
    to,
    data: { name: 'Ada' },
  })
const events = (app: TestApp) =>
  app.db
    .statement(
      "SELECT action, details FROM audit_logs WHERE action LIKE 'platform_admin.mail.%' OR action LIKE 'platform_admin.sms.%' ORDER BY seq",
    )
    .all()
    .map((event) => {
      const { action, details } = event as { action: string; details: string }
      return [action.replace('platform_admin.', ''), JSON.parse(details)]
    })
const everythingStored = (app: TestApp) =>
  ['settings', 'audit_logs'].map((table) => JSON.stringify(app.db.statement(`SELECT * FROM ${table}`).all())).join()

/** As on a machine that forwards to the mail server itself. */
const withRelay = { env: { OUTBOUND_ALLOWED_CIDRS: '127.0.0.1' } }
const unreachable = 'The server cannot be reached. Check its address, its port and its certificate.'

test('without a mail server mail waits in the list, and it is sent as soon as one is set', async () => {
  await using server = await mailServer()
  await using app = await testApp(withRelay)
  const { list, setMail, mailSettings } = await desk(app)
  notify(app, 'bo@acme.test')
  await sleep(30)
  expect(await list()).toMatchObject({
    data: [{ kind: 'registration-attempted', to: 'bo@acme.test', status: 'queued', attempts: 0, lastError: null }],
    pagination: { total: 1 },
    queued: 1,
    failed: 0,
  })
  expect(await mailSettings()).toEqual({ source: 'none', provider: null, folder: null, smtp: null })
  const smtp = {
    host: '127.0.0.1',
    port: server.port,
    verifyCertificate: false,
    user: 'box',
    password: 'open-sesame',
    from: 'Homeport <box@homeport.test>',
  }
  expect(await setMail({ smtp })).toMatchObject({ status: 200, body: { success: true, problem: null } })
  await eventually(async () => expect((await list()).data).toMatchObject([{ status: 'sent', attempts: 1 }]))
  expect(server.received).toMatchObject([{ to: 'bo@acme.test', user: 'box' }])
  expect((await list()).data[0]?.sentAt).not.toBeNull()
})

test('mail that failed with wrong settings is sent at once when they are corrected, however long its delay', async () => {
  await using server = await mailServer()
  await using app = await testApp(withRelay)
  const { list, setMail } = await desk(app)
  const smtp = { host: '127.0.0.1', verifyCertificate: false, from: 'box@homeport.test' }
  const { status, body } = await setMail({ smtp: { ...smtp, port: await freePort() } })
  expect([status, body.problem], 'saved, but it does not answer').toEqual([200, unreachable])
  notify(app, 'bo@acme.test')
  await eventually(async () => expect((await list()).data).toMatchObject([{ lastError: unreachable }]))
  await setMail({ smtp: { ...smtp, port: server.port } })
  await eventually(() => expect(server.recipients()).toEqual(['bo@acme.test']))
  await setMail({ smtp: null })
  notify(app, 'cy@acme.test')
  await sleep(30)
  expect((await list({ status: 'queued' })).data).toMatchObject([{ to: 'cy@acme.test', attempts: 0 }])
})

test('the list of mail is paged, newest first, and filtered by status', async () => {
  await using app = await testApp()
  const { list } = await desk(app)
  for (let n = 1; n <= 5; n++) {
    notify(app, `p${n}@x.test`)
    app.clock.advance(1000)
  }
  setMailState(app, 'p2@x.test', 'failed')
  const second = await list({ page: '2', limit: '2' })
  expect(second.data.map(({ to }) => to)).toEqual(['p3@x.test', 'p2@x.test'])
  expect(second).toMatchObject({ pagination: { page: 2, limit: 2, total: 5 }, queued: 4, failed: 1 })
  const failed = await list({ status: 'failed' })
  expect(failed).toMatchObject({ data: [{ to: 'p2@x.test' }], pagination: { total: 1 }, queued: 4, failed: 1 })
})

test('failed mail can be retried or discarded, sent mail cannot', async () => {
  let isRefusing = true
  await using server = await mailServer({
    atRecipient: () => {
      if (isRefusing) throw new Reply(550, '5.1.1 No such user')
    },
  })
  await using app = await testApp({ env: server.env })
  const { list, retry, discard } = await desk(app)
  notify(app, 'a@x.test')
  notify(app, 'b@x.test')
  await eventually(async () => expect(await list()).toMatchObject({ failed: 2 }))
  const idOf = async (to: string) => (await list()).data.find((mail) => mail.to === to)?.id as string
  const [a, b] = [await idOf('a@x.test'), await idOf('b@x.test')]
  isRefusing = false
  expect((await retry(a)).status).toBe(200)
  await eventually(() => expect(server.recipients()).toEqual(['a@x.test']))
  expect((await discard(b)).status).toBe(200)
  await eventually(async () => expect((await list()).data).toMatchObject([{ id: a, status: 'sent' }]))
  for (const call of [retry, discard])
    for (const id of [a, b, 'nonsense'])
      expect(await call(id)).toMatchObject({ status: 404, body: { code: 'mail_not_found' } })
  expect(events(app)).toEqual([
    ['mail.retry', { kind: 'registration-attempted', to: 'a@x.test' }],
    ['mail.discard', { kind: 'registration-attempted', to: 'b@x.test' }],
  ])
})

test('a test mail returns the answer of the mail server, good or bad, and is limited', async () => {
  await using server = await mailServer({
    atRecipient: (to) => {
      if (to.startsWith('nobody')) throw new Reply(550, '5.1.1 Nobody of this name')
    },
  })
  await using app = await testApp({ env: { ...server.env, HOMEPORT_LIMIT_TEST_MESSAGE: '3/60' } })
  const { testMail, list } = await desk(app)
  expect(await testMail('Bo@Acme.test')).toMatchObject({
    status: 200,
    body: { success: true, response: expect.stringMatching(/^250 /) },
  })
  expect(server.received).toMatchObject([
    { to: 'bo@acme.test', raw: expect.stringContaining('Email from Homeport works') },
  ])
  const refused = await testMail('nobody@acme.test')
  expect(refused).toMatchObject({
    status: 502,
    body: { code: 'mail_failed', message: expect.stringContaining('Nobody of this name') },
  })
  await testMail()
  expect(await testMail()).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
  expect((await list()).data).toEqual([])
  expect(events(app)).toEqual([
    ['mail.test', { to: 'bo@acme.test' }],
    ['mail.test', { to: 'ada@acme.test' }],
  ])
})

test('a test mail without a mail server, to files, and to an unreachable server', async () => {
  await using none = await testApp()
  expect(await (await desk(none)).testMail()).toMatchObject({ status: 400, body: { code: 'mail_not_configured' } })
  await using files = await testApp({ env: mailToFiles })
  const atFiles = await desk(files)
  expect(await atFiles.testMail()).toMatchObject({
    status: 200,
    body: { response: expect.stringContaining('Written to') },
  })
  expect(await mailsOf(files)).toMatchObject([{ kind: 'test', to: 'ada@acme.test' }])
  expect(await atFiles.mailSettings()).toEqual({
    source: 'environment',
    provider: 'file',
    folder: join(files.dataDir, 'mail'),
    smtp: null,
  })
  const port = String(await freePort())
  await using away = await testApp({ env: { SMTP_HOST: '127.0.0.1', SMTP_PORT: port, SMTP_FROM: 'box@homeport.test' } })
  expect(await (await desk(away)).testMail()).toMatchObject({
    status: 502,
    body: { message: expect.stringContaining('ECONNREFUSED') },
  })
})

test('settings can be tested before they are saved, and the stored password is used only where it belongs', async () => {
  await using server = await mailServer()
  await using app = await testApp(withRelay)
  const { setMail, testMail, mailSettings } = await desk(app)
  const smtp = {
    host: '127.0.0.1',
    port: server.port,
    verifyCertificate: false,
    user: 'box',
    from: 'box@homeport.test',
  }
  expect(await testMail('bo@acme.test', { ...smtp, password: 'wrong' })).toMatchObject({
    status: 502,
    body: { message: expect.stringContaining('535') },
  })
  expect((await testMail('bo@acme.test', { ...smtp, password: 'open-sesame' })).status).toBe(200)
  expect((await mailSettings()).source, 'nothing is saved').toBe('none')
  const tried = ['mail.test', { to: 'bo@acme.test', server: `127.0.0.1:${server.port}` }]
  expect(events(app), 'trying servers leaves a trace').toEqual([tried, tried])
  expect((await setMail({ smtp: { ...smtp, password: 'wrong' } })).body.problem).toContain('535')
  expect((await setMail({ smtp: { ...smtp, password: 'open-sesame' } })).body.problem).toBeNull()
  expect((await testMail('cy@acme.test', { ...smtp, from: 'Other <other@homeport.test>' })).status).toBe(200)
  expect(server.received).toMatchObject([
    { to: 'bo@acme.test', user: 'box' },
    { to: 'cy@acme.test', user: 'box', raw: expect.stringContaining('Other <other@homeport.test>') },
  ])
})

test('a mail server that accepts connections and says nothing is reported as unreachable', async () => {
  const silent = createTcpServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  await using app = await testApp(withRelay)
  const { setMail } = await desk(app)
  const { port } = silent.address() as AddressInfo
  const { body } = await setMail({ smtp: { host: '127.0.0.1', port, from: 'box@homeport.test' } })
  expect(body.problem).toBe(unreachable)
})

test('all failures to reach a mail server are reported alike to the user who entered its address', async () => {
  await using server = await mailServer()
  const other = createTcpServer((socket) => socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9.9\r\n'))
  const closing = createTcpServer((socket) => socket.on('error', () => {}).destroy())
  for (const one of [other, closing]) {
    one.listen(0, '127.0.0.1')
    await once(one, 'listening')
    onTestFinished(() => void one.close())
  }
  const portOf = (one: typeof other) => (one.address() as AddressInfo).port
  await using app = await testApp({ env: { ...withRelay.env, HOMEPORT_LIMIT_TEST_MESSAGE: '0/60' } })
  const { testMail, setMail } = await desk(app)
  const from = 'box@homeport.test'
  const tried = [
    { host: 'mail.invalid', from },
    { host: '127.0.0.1', port: await freePort(), from },
    { host: '127.0.0.1', port: portOf(other), from },
    { host: '127.0.0.1', port: portOf(closing), from },
    { host: '127.0.0.1', port: portOf(other), secure: true, from },
    { host: '127.0.0.1', port: server.port, secure: true, from },
    { host: '127.0.0.1', port: server.port, from },
  ]
  for (const smtp of tried)
    expect(await testMail('bo@acme.test', smtp), JSON.stringify(smtp)).toMatchObject({
      status: 502,
      body: { code: 'mail_failed', message: unreachable },
    })
  for (const smtp of tried) expect((await setMail({ smtp })).body.problem).toBe(unreachable)
  expect(server.received).toEqual([])
})

test.each(['127.0.0.1', 'localhost', '::1', '127.1', '0x7f000001', '0.0.0.0', '169.254.169.254', '::ffff:127.0.0.1'])(
  'a mail server at %s is refused',
  async (host) => {
    await using app = await testApp()
    const { setMail, testMail, mailSettings } = await desk(app)
    const smtp = { host, from: 'box@acme.test' }
    for (const answer of [await setMail({ smtp }), await testMail('bo@acme.test', smtp)])
      expect(answer).toMatchObject({
        status: 400,
        body: { details: { fieldErrors: { 'smtp.host': [expect.stringContaining('SMTP_HOST')] } } },
      })
    expect((await mailSettings()).source).toBe('none')
    expect(events(app)).toEqual([])
  },
)

test.each([
  'https://127.0.0.1/send',
  'https://localhost:8443/send',
  'https://[::1]/send',
  'https://169.254.169.254/send',
])('a gateway at %s is refused', async (url) => {
  await using app = await testApp()
  const { setSms, testSms, smsSettings } = await desk(app)
  for (const answer of [await setSms({ ...gateway, url }), await testSms({ ...gateway, url })])
    expect(answer).toMatchObject({ status: 400, body: { details: { fieldErrors: { url: [expect.any(String)] } } } })
  expect((await smsSettings()).source).toBe('none')
  expect(events(app)).toEqual([])
})

test('an unreachable gateway is reported like one with an unknown certificate', async () => {
  const unknown = await privateHost(['127.0.0.1'], (_request, response) => response.end('{}'))
  onTestFinished(() => unknown[Symbol.asyncDispose]())
  await using app = await testApp({ env: { ...withRelay.env, HOMEPORT_LIMIT_TEST_MESSAGE: '0/60' } })
  const { testSms } = await desk(app)
  const urls = [
    `https://127.0.0.1:${unknown.port}/send`,
    `https://127.0.0.1:${await freePort()}/send`,
    'https://sms.invalid/send',
  ]
  for (const url of urls)
    expect(await testSms({ ...gateway, url })).toMatchObject({
      status: 502,
      body: { code: 'sms_failed', message: unreachable },
    })
})

test('the password of the mail server is never returned, and leaving it out keeps it', async () => {
  await using server = await mailServer()
  await using app = await testApp({ ...withRelay, logs: true })
  const { setMail, mailSettings, testMail } = await desk(app)
  const smtp = {
    host: '127.0.0.1',
    port: server.port,
    verifyCertificate: false,
    user: 'box',
    from: 'box@homeport.test',
  }
  expect(await setMail({ smtp })).toMatchObject({
    status: 400,
    body: { code: 'validation_failed', details: { fieldErrors: { 'smtp.password': [expect.any(String)] } } },
  })
  await setMail({ smtp: { ...smtp, password: 'open-sesame' } })
  await setMail({ smtp: { ...smtp, from: 'Box <box@homeport.test>' } })
  expect(await mailSettings()).toEqual({
    source: 'stored',
    provider: 'smtp',
    folder: null,
    smtp: { ...smtp, secure: false, from: 'Box <box@homeport.test>', hasPassword: true },
  })
  expect((await testMail()).status).toBe(200)
  expect(server.received).toMatchObject([{ user: 'box' }])
  expect(everythingStored(app)).not.toContain('open-sesame')
  expect(app.logLines.join()).not.toContain('open-sesame')
  await setMail({ smtp: { ...smtp, user: null } })
  expect((await mailSettings()).smtp).toMatchObject({ user: null, hasPassword: false })
  await setMail({ smtp: null })
  expect(await mailSettings()).toEqual({ source: 'none', provider: null, folder: null, smtp: null })
  const host = '127.0.0.1'
  const from = 'box@homeport.test'
  const about = (more: object) => ({ host, port: server.port, from, user: null, ...more })
  expect(events(app)).toEqual([
    ['mail.settings', about({ user: 'box' })],
    ['mail.settings', about({ user: 'box', from: 'Box <box@homeport.test>' })],
    ['mail.test', { to: 'ada@acme.test' }],
    ['mail.settings', about({})],
    ['mail.settings', { removed: true }],
  ])
})

test('a stored secret is not sent to another server or account than it was entered for', async () => {
  await using app = await testApp(withRelay)
  const { setMail, setSms, testMail, testSms, mailSettings, smsSettings } = await desk(app)
  const smtp = { host: '127.0.0.1', port: await freePort(), user: 'box', from: 'box@acme.test' }
  await setMail({ smtp: { ...smtp, password: 'hush-hush' } })
  for (const other of [
    { host: 'localhost' },
    { port: await freePort() },
    { user: 'root' },
    { verifyCertificate: false },
  ])
    for (const answer of [
      await setMail({ smtp: { ...smtp, ...other } }),
      await testMail('ada@acme.test', { ...smtp, ...other }),
    ])
      expect(answer).toMatchObject({
        status: 400,
        body: { details: { fieldErrors: { 'smtp.password': [expect.any(String)] } } },
      })
  expect((await mailSettings()).smtp).toMatchObject(smtp)
  await setSms({ ...twilio, authToken: 'hush-hush' })
  const otherAccount = { ...twilio, accountSid: `AC${'1'.repeat(32)}` }
  for (const answer of [await setSms(otherAccount), await testSms(otherAccount)]) expect(answer.status).toBe(400)
  const headed = { ...gateway, headerName: 'X-Key' }
  await setSms({ ...headed, headerValue: 'hush-hush' })
  expect((await setSms({ ...headed, url: 'https://sms.test/v2/send' })).status).toBe(200)
  const elsewhere = { ...headed, url: 'https://evil.test/send' }
  for (const answer of [await setSms(elsewhere), await testSms(elsewhere)]) expect(answer.status).toBe(400)
  expect((await smsSettings()).gateway?.url).toBe('https://sms.test/v2/send')
})

test.each<[field: string, smtp: object]>([
  ['smtp.host', { host: 'mail server' }],
  ['smtp.host', { host: 'mail.test/x' }],
  ['smtp.port', { port: 0 }],
  ['smtp.from', { from: 'Box' }],
  ['smtp.from', { from: 'Box <box@acme.test>\r\nBcc: all@acme.test' }],
])('an invalid mail server setting %s is refused by name: %j', async (field, part) => {
  await using app = await testApp()
  const { setMail, mailSettings } = await desk(app)
  const answer = await setMail({ smtp: { host: 'mail.test', from: 'box@acme.test', ...part } })
  expect(answer).toMatchObject({ status: 400, body: { details: { fieldErrors: { [field]: [expect.any(String)] } } } })
  expect((await mailSettings()).source).toBe('none')
})

test('settings from the environment cannot be changed in the console', async () => {
  await using app = await testApp({
    env: {
      SMTP_HOST: 'mail.test',
      SMTP_USER: 'box',
      SMTP_PASS: 'open-sesame',
      SMTP_FROM: 'box@acme.test',
      SMS_PROVIDER: 'gateway',
      SMS_GATEWAY_URL: 'https://sms.test/send',
      SMS_GATEWAY_TEMPLATE: '["{{to}}","{{text}}"]',
      SMS_GATEWAY_HEADER_NAME: 'X-Key',
      SMS_GATEWAY_HEADER_VALUE: 'hush',
    },
  })
  const { setMail, mailSettings, setSms, smsSettings } = await desk(app)
  for (const answer of [await setMail({ smtp: null }), await setSms({ provider: 'none' })])
    expect(answer).toMatchObject({ status: 400, body: { code: 'set_by_environment' } })
  expect(await mailSettings()).toMatchObject({ source: 'environment', provider: 'smtp', smtp: { hasPassword: true } })
  expect(await smsSettings()).toEqual({
    source: 'environment',
    provider: 'gateway',
    twilio: null,
    gateway: {
      url: 'https://sms.test/send',
      format: 'json',
      template: '["{{to}}","{{text}}"]',
      headerName: 'X-Key',
      hasHeaderValue: true,
    },
  })
  expect(events(app)).toEqual([])
})

const twilio = { provider: 'twilio', accountSid: `AC${'0'.repeat(32)}`, from: '+15550001' } as const
const gateway = {
  provider: 'gateway',
  url: 'https://sms.test/send',
  format: 'json',
  template: '{"to":"{{to}}","body":"{{text}}"}',
} as const

test('secrets of the text message provider are never returned, and leaving them out keeps them', async () => {
  await using app = await testApp()
  const { setSms, smsSettings } = await desk(app)
  expect(await smsSettings()).toEqual({ source: 'none', provider: null, twilio: null, gateway: null })
  expect(await setSms(twilio)).toMatchObject({
    status: 400,
    body: { details: { fieldErrors: { authToken: [expect.any(String)] } } },
  })
  expect((await setSms({ ...twilio, authToken: 'hush-hush' })).status).toBe(200)
  expect((await setSms({ ...twilio, from: 'MG1' })).status).toBe(200)
  expect(await smsSettings()).toEqual({
    source: 'stored',
    provider: 'twilio',
    twilio: { accountSid: twilio.accountSid, from: 'MG1', hasAuthToken: true },
    gateway: null,
  })
  const headed = { ...gateway, headerName: 'X-Key' }
  expect(await setSms(headed)).toMatchObject({
    status: 400,
    body: { details: { fieldErrors: { headerValue: [expect.any(String)] } } },
  })
  expect((await setSms({ ...headed, headerValue: 'hush-hush' })).status).toBe(200)
  expect((await setSms({ ...headed, headerName: 'X-Other' })).status).toBe(200)
  expect((await smsSettings()).gateway).toMatchObject({ headerName: 'X-Other', hasHeaderValue: true })
  expect(everythingStored(app)).not.toContain('hush')
  expect((await setSms(gateway)).status).toBe(200)
  expect((await smsSettings()).gateway).toMatchObject({ headerName: null, hasHeaderValue: false })
  expect((await setSms({ provider: 'none' })).status).toBe(200)
  expect((await smsSettings()).source).toBe('none')
  const providers = ['twilio', 'twilio', 'gateway', 'gateway', 'gateway', 'none']
  expect(events(app)).toEqual(providers.map((provider) => ['sms.settings', { provider }]))
})

test.each<[field: string, body: SmsBody]>([
  ['template', { ...gateway, template: '{"to":"{{to}}"}' }],
  ['template', { ...gateway, template: '{"to":{{to}},"text":"{{text}}"}' }],
  ['template', { ...gateway, format: 'form', template: 'body={{text}}' }],
  ['url', { ...gateway, url: 'http://sms.test/send' }],
  ['headerName', { ...gateway, headerName: 'X Key', headerValue: 'v' }],
  ['headerValue', { ...gateway, headerName: 'X-Key', headerValue: 'v\r\nX-Other: 1' }],
  ['accountSid', { ...twilio, accountSid: 'AC1', authToken: 't' }],
])('an invalid text message setting %s is refused by name: %j', async (field, body) => {
  await using app = await testApp()
  const { setSms, smsSettings } = await desk(app)
  expect(await setSms(body)).toMatchObject({
    status: 400,
    body: { code: 'validation_failed', details: { fieldErrors: { [field]: [expect.any(String)] } } },
  })
  expect((await smsSettings()).source).toBe('none')
})

test('a test text message returns the answer of the provider, good or bad', async () => {
  const heard: string[] = []
  let status = 201
  const server = createServer(async (request, response) => {
    heard.push(await bodyOf(request))
    response.writeHead(status).end(status === 201 ? '{}' : '{"message":"No credit left"}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  await using none = await testApp()
  expect(await (await desk(none)).testSms()).toMatchObject({ status: 400, body: { code: 'sms_not_configured' } })
  await using app = await testApp({
    env: {
      SMS_PROVIDER: 'twilio',
      TWILIO_ACCOUNT_SID: 'AC1',
      TWILIO_AUTH_TOKEN: 'hush',
      TWILIO_FROM: '+15550001',
      TWILIO_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    },
  })
  const { testSms } = await desk(app)
  expect(await testSms()).toMatchObject({ status: 200, body: { success: true } })
  expect(new URLSearchParams(heard[0]).get('To')).toBe('+491701234567')
  status = 402
  expect(await testSms()).toMatchObject({
    status: 502,
    body: { code: 'sms_failed', message: expect.stringContaining('No credit left') },
  })
  expect(events(app)).toEqual([['sms.test', { to: '+491701234567' }]])
})

test('changing where mail and codes are sent needs a recent password', async () => {
  await using app = await testApp()
  const { token } = await bootstrapped(app)
  app.db.statement("UPDATE sessions SET auth_at = '2020-01-01T00:00:00.000Z'").run()
  const setMail = (currentPassword?: string) =>
    app.call(updateMailSettings, { body: { smtp: null, currentPassword } }, { token })
  const setSms = () => app.call(updateSmsSettings, { body: { provider: 'none' } }, { token })
  const to = 'ada@acme.test'
  const smtp = { host: '10.0.0.25', from: 'box@acme.test' }
  const tryMail = () => app.call(sendTestMail, { body: { to, smtp } }, { token })
  const trySms = () => app.call(sendTestSms, { body: { to: '+491701234567', settings: gateway } }, { token })
  for (const call of [setMail, setSms, tryMail, trySms])
    expect(await call()).toMatchObject({ status: 400, body: { code: 'password_required' } })
  expect(await setMail('Wrong1Horse')).toMatchObject({ status: 400, body: { code: 'invalid_credentials' } })
  expect(events(app)).toEqual([])
  expect((await setMail(password)).status).toBe(200)
  expect((await setSms()).status).toBe(200)
})
