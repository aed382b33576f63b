import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { eventually } from '../../../test/helpers/eventually.ts'
import { linkThatWorks, type MailRow, mailRows, setMailState } from '../../../test/helpers/mail.ts'
import { mailServer, Reply } from '../../../test/helpers/mail-server.ts'
import { freePort } from '../../../test/helpers/real-appliance.ts'
import { type TestApp, testApp } from '../../../test/helpers/test-app.ts'
import { day, hour, iso, minute, second } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'
import { openSecrets } from '../../platform/secrets.ts'
import { Tasks } from '../../platform/tasks/index.ts'
import { createMailQueue } from './mail-queue.ts'
import { MailWriter } from './mail-writer.ts'
import { Mailer } from './mailer.ts'

const mailerOf = (app: TestApp) => new Mailer(app.app.mailQueue)
const notify = (app: TestApp, ...recipients: string[]) => {
  for (const to of recipients) mailerOf(app).send({ kind: 'registration-attempted', to, data: { name: 'Ada' } })
}
/** A mail with a link that expires after an hour. */
const registrationMail = (to: string, linkId: string) => {
  const data = { name: 'Ada', companyName: 'Acme', linkId }
  return { kind: 'verify-registration', to, data, lifeSeconds: hour / second } as const
}

const rows = (app: TestApp) => mailRows(app.db)
const row = (app: TestApp, to = 'ada@acme.test') => rows(app).find(({ recipient }) => recipient === to) as MailRow
const attempted = (app: TestApp, attempts: number) =>
  eventually(() => expect(rows(app)).toMatchObject([{ attempts, last_error: expect.any(String) }]))

test('mail is sent over STARTTLS with the password and is marked as auto-generated', async () => {
  await using server = await mailServer()
  await using app = await testApp({ env: { ...server.env, SMTP_USER: 'box', SMTP_PASS: 'open-sesame' } })
  notify(app, 'ada@acme.test')
  await eventually(() => expect(row(app).status).toBe('sent'))
  expect(row(app)).toMatchObject({
    attempts: 1,
    next_attempt_at: null,
    last_error: null,
    sent_at: iso(app.clock.now()),
  })
  expect(server.received).toMatchObject([{ to: 'ada@acme.test', isEncrypted: true, user: 'box' }])
  const { raw = '' } = server.received[0] ?? {}
  expect(raw).toMatch(/^From: Homeport <box@homeport\.test>\r$/m)
  expect(raw).toMatch(/^To: ada@acme\.test\r$/m)
  expect(raw).toMatch(/^Subject: Someone tried to register with your address\r$/m)
  expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m)
  expect(raw).toMatch(/^Content-Type: text\/plain; charset=utf-8\r$/m)
  expect(raw).toMatch(/^Content-Type: text\/html; charset=utf-8\r$/m)
})

test('neither password nor mail is sent to a server without STARTTLS, and the mail stays queued', async () => {
  const attempt = vi.fn()
  await using server = await mailServer({
    options: { disabledCommands: ['STARTTLS'], allowInsecureAuth: true, onAuth: (...args) => attempt(...args) },
  })
  await using app = await testApp({ env: { ...server.env, SMTP_USER: 'box', SMTP_PASS: 'open-sesame' } })
  notify(app, 'ada@acme.test')
  await attempted(app, 1)
  expect(row(app).status).toBe('queued')
  expect(attempt).not.toHaveBeenCalled()
  expect(server.received).toEqual([])
})

test('with SMTP_VERIFY_CERTIFICATE=yes, no mail is sent to a server with an untrusted certificate', async () => {
  await using server = await mailServer()
  await using app = await testApp({ env: { ...server.env, SMTP_VERIFY_CERTIFICATE: 'yes' } })
  notify(app, 'ada@acme.test')
  await attempted(app, 1)
  expect(row(app).last_error).toMatch(/certificate/i)
  expect(server.received).toEqual([])
})

test('a server reply that quotes a link is stored and logged without its token', async () => {
  let token = ''
  await using server = await mailServer({
    atMail: ({ raw }) => {
      const [link = ''] = /https?:\S+token=[\w-]+/.exec(raw.replace(/=\r\n/g, '').replace(/=3D/g, '=')) ?? []
      token = link.split('token=')[1] ?? ''
      throw new Reply(451, `4.7.1 We do not like ${link} today`)
    },
  })
  await using app = await testApp({ env: server.env, logs: true })
  mailerOf(app).send(registrationMail('ada@acme.test', linkThatWorks(app)))
  await attempted(app, 1)
  expect(token).toHaveLength(43)
  expect(row(app).last_error).toMatch(/^451 4\.7\.1 We do not like https?:\S+\?token=… today$/)
  expect(app.logLines.join('')).not.toContain(token)
})

test("after a wrong SMTP password the mail stays queued with the server's reply as its error", async () => {
  await using server = await mailServer()
  await using app = await testApp({ env: { ...server.env, SMTP_USER: 'box', SMTP_PASS: 'wrong-one' } })
  notify(app, 'ada@acme.test')
  await attempted(app, 1)
  expect(row(app)).toMatchObject({ status: 'queued', last_error: '535 5.7.8 Who are you?' })
})

test.each<[reply: string, status: 'failed' | 'queued', why: string]>([
  ['550 5.1.1 No such user', 'failed', 'unknown mailbox'],
  ['550 No such user', 'failed', 'the same of a server without enhanced codes'],
  ['550 5.0.0 No', 'failed', 'an enhanced code that says nothing more'],
  ['551 5.1.6 Has moved', 'failed', 'moved'],
  ['553 5.1.3 Bad mailbox syntax', 'failed', 'no address at all'],
  ['550 5.2.1 Mailbox disabled', 'failed', 'closed'],
  ['556 5.1.10 Null MX', 'failed', 'the domain takes no mail'],
  ['550 5.7.1 Relaying denied', 'queued', 'the appliance may not send: its settings can be mended'],
  ['554 5.7.1 Blocked', 'queued', 'our address is on a list'],
  ['554 Transaction failed', 'queued', 'could mean anything'],
  ['530 5.7.0 Authenticate first', 'queued', 'settings'],
  ['550 5.1.8 Bad sender domain', 'queued', 'about the sender'],
  ['552 5.2.2 Mailbox full', 'queued', 'may be emptied'],
  ['503 Bad sequence', 'queued', 'not about the mail'],
  ['450 4.2.0 Greylisted', 'queued', 'a delay that every mail server asks for'],
  ['421 4.3.2 Shutting down', 'queued', 'the server is going away'],
])('a mail whose recipient is refused with "%s" is %s: %s', async (reply, status) => {
  await using server = await mailServer({
    atRecipient: () => {
      throw new Reply(Number(reply.slice(0, 3)), reply.slice(4))
    },
    options: { hideENHANCEDSTATUSCODES: true },
  })
  await using app = await testApp({ env: server.env })
  notify(app, 'ada@acme.test')
  await attempted(app, 1)
  expect(row(app)).toMatchObject({ status, last_error: reply })
  expect(row(app).next_attempt_at === null).toBe(status === 'failed')
})

test('a mail refused with 554 after its content stays queued', async () => {
  await using server = await mailServer({
    atMail: () => {
      throw new Reply(554, '5.6.0 I do not like it')
    },
  })
  await using app = await testApp({ env: server.env })
  notify(app, 'ada@acme.test')
  await attempted(app, 1)
  expect(row(app).status).toBe('queued')
})

test('retry delays double from five seconds to an hour, and after a day of attempts the mail is failed', async () => {
  await using app = await testApp({
    env: { SMTP_HOST: '127.0.0.1', SMTP_PORT: String(await freePort()), SMTP_FROM: 'box@homeport.test' },
  })
  const begin = app.clock.now()
  notify(app, 'ada@acme.test')
  const pauses: number[] = []
  for (let attempts = 1; row(app).status === 'queued'; attempts++) {
    await eventually(() => expect(row(app)).toMatchObject({ attempts, last_error: expect.any(String) }))
    await app.app.tasks.stop()
    const { next_attempt_at } = row(app)
    if (next_attempt_at === null) break
    pauses.push((Date.parse(next_attempt_at) - app.clock.now()) / second)
    app.db.statement('UPDATE tasks SET error = NULL').run()
    app.clock.advance(Date.parse(next_attempt_at) - app.clock.now() - 1)
    app.app.tasks.start()
    await sleep(2)
    expect(row(app).attempts).toBe(attempts)
    app.clock.advance(1)
    app.app.tasks.wake()
  }
  for (const [n, pause] of [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600].entries()) {
    expect(pauses[n]).toBeGreaterThanOrEqual(pause * 0.9)
    expect(pauses[n]).toBeLessThanOrEqual(pause)
  }
  expect(row(app)).toMatchObject({ status: 'failed', attempts: 34 })
  expect(row(app).last_error).toContain('ECONNREFUSED')
  expect((app.clock.now() - begin) / day).toBeCloseTo(1, 1)
})

test('four hanging deliveries do not hold up mail to other recipients', async () => {
  const letGo: (() => void)[] = []
  await using server = await mailServer({
    atRecipient: (to) => {
      if (to.startsWith('hang')) return new Promise<void>((resolve) => letGo.push(resolve))
    },
  })
  await using app = await testApp({ env: server.env })
  notify(app, 'hang1@x.test', 'hang2@x.test', 'hang3@x.test', 'hang4@x.test')
  await eventually(() => expect(letGo).toHaveLength(4))
  notify(app, 'a@x.test', 'b@x.test', 'c@x.test')
  await eventually(() => expect(server.recipients()).toEqual(['a@x.test', 'b@x.test', 'c@x.test']))
  for (const go of letGo) go()
  await eventually(() => expect(rows(app).every(({ status }) => status === 'sent')).toBe(true))
})

test('an attempt at a server that never sends a greeting fails, and the mail stays queued', async () => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => void sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  try {
    const port = String((silent.address() as AddressInfo).port)
    await using app = await testApp({
      env: { SMTP_HOST: '127.0.0.1', SMTP_PORT: port, SMTP_FROM: 'box@homeport.test' },
    })
    notify(app, 'ada@acme.test')
    await eventually(() => expect(row(app).last_error).toBe('Greeting never received'))
    expect(row(app).status).toBe('queued')
  } finally {
    for (const socket of sockets) socket.destroy()
    silent.close()
  }
})

test('a mail whose connection breaks during delivery is sent by the second attempt', async () => {
  let breaks = 1
  const sockets = new Set<Socket>()
  await using server = await mailServer({
    atMail: () => {
      if (breaks-- <= 0) return
      for (const socket of sockets) socket.destroy()
      return new Promise(() => {})
    },
  })
  server.onConnection((socket) => sockets.add(socket))
  await using app = await testApp({ env: server.env })
  notify(app, 'ada@acme.test')
  await attempted(app, 1)
  app.clock.advance(5 * second)
  app.app.tasks.wake()
  await eventually(() => expect(row(app)).toMatchObject({ status: 'sent', attempts: 2 }))
  expect(server.received).toHaveLength(1)
})

test('a mail is not sent again while a slow server still processes the first attempt', async () => {
  let letGo = () => {}
  let begun = 0
  await using server = await mailServer({
    atMail: () => {
      begun++
      return new Promise<void>((resolve) => {
        letGo = resolve
      })
    },
  })
  await using app = await testApp({ env: server.env })
  notify(app, 'ada@acme.test')
  await eventually(() => expect(begun).toBe(1))
  app.clock.advance(minute)
  app.app.tasks.wake()
  await sleep(150)
  expect(begun).toBe(1)
  letGo()
  await eventually(() => expect(row(app).status).toBe('sent'))
})

test('of 23 queued mails at most five are sent at once, and all arrive', async () => {
  let open = 0
  let most = 0
  const five = Promise.withResolvers<void>()
  await using server = await mailServer({
    atMail: async () => {
      most = Math.max(most, ++open)
      if (open === 5) five.resolve()
      await five.promise
      await sleep(5)
      open--
    },
  })
  await using app = await testApp({ env: server.env })
  app.db.transaction(() => notify(app, ...Array.from({ length: 23 }, (_, n) => `p${n}@x.test`)))
  await eventually(() => expect(server.received).toHaveLength(23))
  expect(most).toBe(5)
})

test('without a mail server mail stays queued with no attempts counted, and mail with an expired link expires', async () => {
  await using app = await testApp()
  notify(app, 'ada@acme.test')
  mailerOf(app).send(registrationMail('bo@acme.test', linkThatWorks(app)))
  app.app.tasks.wake()
  await sleep(30)
  expect(rows(app)).toMatchObject([
    { status: 'queued', attempts: 0 },
    { status: 'queued', attempts: 0 },
  ])
  app.clock.advance(hour)
  app.app.tasks.wake()
  await eventually(() => expect(row(app, 'bo@acme.test')).toMatchObject({ status: 'expired', next_attempt_at: null }))
  expect(row(app)).toMatchObject({ status: 'queued', attempts: 0 })
})

test('mail whose link no longer works expires without an attempt', async () => {
  await using server = await mailServer()
  await using app = await testApp({ env: server.env })
  mailerOf(app).send(registrationMail('gone@acme.test', 'gone'))
  mailerOf(app).send(registrationMail('live@acme.test', linkThatWorks(app)))
  await eventually(() => expect(row(app, 'live@acme.test').status).toBe('sent'))
  expect(row(app, 'gone@acme.test')).toMatchObject({ status: 'expired', attempts: 0, next_attempt_at: null })
  expect(server.recipients()).toEqual(['live@acme.test'])
})

test('without a mail server, mail whose link no longer works is expired by the job tasks.prune', async () => {
  await using app = await testApp()
  mailerOf(app).send(registrationMail('gone@acme.test', 'gone'))
  mailerOf(app).send(registrationMail('live@acme.test', linkThatWorks(app)))
  await app.app.jobs.runNow('tasks.prune')
  expect(rows(app).map(({ status }) => status)).toEqual(['expired', 'queued'])
})

test('mail of a transaction that is rolled back is not sent', async () => {
  await using server = await mailServer()
  await using app = await testApp({ env: server.env })
  expect(() =>
    app.db.transaction(() => {
      notify(app, 'ada@acme.test')
      throw new Error('undone')
    }),
  ).toThrow('undone')
  notify(app, 'bo@acme.test')
  await eventually(() => expect(server.recipients()).toEqual(['bo@acme.test']))
  expect(rows(app)).toHaveLength(1)
})

test('mail being sent when the process dies is sent by the next process', async () => {
  await using app = await testApp()
  const writer = new MailWriter(openSecrets(app.dataDir), () => 'https://box.test')
  const queueTo = (send: () => Promise<string>) => {
    const transport = { send: async () => ({ response: await send(), file: null }) }
    const tasks = new Tasks(app.db, app.clock, silentLog())
    createMailQueue({ tasks, writer, transport: () => transport, isLinkLive: () => true })
    return tasks
  }
  let begun = 0
  const dying = queueTo(() => {
    begun++
    return new Promise(() => {})
  })
  notify(app, 'ada@acme.test')
  dying.start()
  await eventually(() => expect(begun).toBe(1))
  const next = queueTo(async () => '250 fine')
  app.clock.advance(5 * second)
  next.start()
  await eventually(() => expect(row(app)).toMatchObject({ status: 'sent', attempts: 2 }))
  await next.stop()
})

test('stopping finishes deliveries in progress, aborts hanging ones without an error and starts no new ones', async () => {
  const letGo = new Map<string, () => void>()
  await using server = await mailServer({
    atRecipient: (to) => new Promise<void>((resolve) => letGo.set(to, resolve)),
  })
  await using app = await testApp({ env: server.env })
  notify(app, 'ada@acme.test', 'hang@acme.test')
  await eventually(() => expect(letGo.size).toBe(2))
  const stopped = app.app.tasks.stop()
  letGo.get('ada@acme.test')?.()
  await stopped
  expect(row(app)).toMatchObject({ status: 'sent' })
  expect(row(app, 'hang@acme.test')).toMatchObject({ status: 'queued', last_error: null })
  notify(app, 'late@acme.test')
  await sleep(30)
  expect(row(app, 'late@acme.test')).toMatchObject({ status: 'queued', attempts: 0 })
})

test('sent and expired mails are deleted after 30 days, failed ones are kept', async () => {
  await using app = await testApp()
  notify(app, 'sent@x.test', 'expired@x.test', 'failed@x.test')
  setMailState(app, 'sent@x.test', 'completed')
  setMailState(app, 'expired@x.test', 'expired')
  setMailState(app, 'failed@x.test', 'failed')
  app.clock.advance(30 * day)
  await app.app.jobs.runNow('tasks.prune')
  expect(rows(app)).toHaveLength(3)
  app.clock.advance(1)
  await app.app.jobs.runNow('tasks.prune')
  expect(rows(app).map(({ status }) => status)).toEqual(['failed'])
})

test('an unsent notification expires after seven days', async () => {
  await using app = await testApp()
  notify(app, 'late@x.test')
  app.clock.advance(7 * day - 1)
  app.app.tasks.wake()
  await sleep(30)
  expect(row(app, 'late@x.test')).toMatchObject({ status: 'queued' })
  app.clock.advance(1)
  app.app.tasks.wake()
  await eventually(() => expect(row(app, 'late@x.test')).toMatchObject({ status: 'expired', attempts: 0 }))
})

test('neither link tokens nor the SMTP password appear in the trace log of a failed attempt', async () => {
  await using server = await mailServer({
    atMail: () => {
      throw new Reply(451, '4.3.0 Later')
    },
  })
  const env = { ...server.env, SMTP_USER: 'box', SMTP_PASS: 'open-sesame', HOMEPORT_LOG_LEVEL: 'trace' }
  await using app = await testApp({ env, logs: true })
  const linkId = linkThatWorks(app)
  mailerOf(app).send(registrationMail('ada@acme.test', linkId))
  await attempted(app, 1)
  const log = app.logLines.join('')
  expect(log).toContain('451 4.3.0 Later')
  const token = openSecrets(app.dataDir).linkToken('pending_registration', linkId)
  for (const secret of ['open-sesame', token, 'verify-email?']) expect(log).not.toContain(secret)
})

test('withdrawing the mails about an organization deletes queued and failed ones and keeps sent ones', async () => {
  await using app = await testApp()
  const warn = (orgId: string, to: string) =>
    mailerOf(app).send({
      kind: 'purge-warning',
      to,
      data: { name: 'Ada', orgId, orgName: 'Berlin', purgeAt: iso(app.clock.now()) },
    })
  for (const to of ['queued', 'failed', 'sent']) warn('berlin', `${to}@acme.test`)
  warn('bonn', 'other@acme.test')
  setMailState(app, 'failed@acme.test', 'failed')
  setMailState(app, 'sent@acme.test', 'completed')
  mailerOf(app).withdraw('purge-warning', 'orgId', 'berlin')
  expect(rows(app).map(({ recipient }) => recipient)).toEqual(['sent@acme.test', 'other@acme.test'])
})
