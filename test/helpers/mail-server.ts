import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'

export interface ReceivedMail {
  to: string
  /** Headers and body as they came. */
  raw: string
  isEncrypted: boolean
  user: string | undefined
}

/** How a server refuses: its reply code and words. */
export class Reply extends Error {
  readonly responseCode: number

  constructor(responseCode: number, message: string) {
    super(message)
    this.responseCode = responseCode
  }
}

interface Behaviour {
  /** Refuses a recipient by throwing a Reply, or takes its time. */
  atRecipient?: (to: string) => void | Promise<void>
  /** The same once the whole mail has come. */
  atMail?: (mail: ReceivedMail, session: SMTPServerSession) => void | Promise<void>
  options?: SMTPServerOptions
}

/** A real mail server on this machine, with STARTTLS by an untrusted certificate and the user `box` / `open-sesame`. */
export async function mailServer({ atRecipient, atMail, options }: Behaviour = {}) {
  const received: ReceivedMail[] = []
  const settle = (work: () => unknown, done: (error?: Error) => void) =>
    Promise.resolve()
      .then(work)
      .then(() => done(), done)
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      username === 'box' && password === 'open-sesame'
        ? done(null, { user: username })
        : done(new Reply(535, '5.7.8 Who are you?')),
    onRcptTo: ({ address }, _session, done) => void settle(() => atRecipient?.(address), done),
    onData: (stream, session, done) =>
      void settle(async () => {
        const raw = await text(stream)
        const { envelope, secure, user } = session
        const mail = {
          to: envelope.rcptTo[0]?.address ?? '',
          raw,
          isEncrypted: secure,
          user: user as string | undefined,
        }
        await atMail?.(mail, session)
        received.push(mail)
      }, done),
    ...options,
  })
  // A client that hangs up or knows no such certificate is not the server's problem.
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    port,
    received,
    onConnection: (heard: (socket: Socket) => void) => void server.server.on('connection', heard),
    recipients: () => received.map(({ to }) => to).sort(),
    env: {
      SMTP_HOST: '127.0.0.1',
      SMTP_PORT: String(port),
      SMTP_FROM: 'Homeport <box@homeport.test>',
      SMTP_VERIFY_CERTIFICATE: 'no',
    },
    [Symbol.asyncDispose]: async () => {
      for (const connection of server.connections) connection.close()
      await new Promise<void>((resolve) => server.close(resolve))
    },
  }
}
