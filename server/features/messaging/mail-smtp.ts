import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import addressparser from 'nodemailer/lib/addressparser'
import { toError } from '../../../shared/thrown.ts'
import type { MailConfig } from '../../config/messaging.ts'
import { second } from '../../platform/clock.ts'
import { type Destinations, Unreachable } from '../../platform/outbound/index.ts'
import { MailRefusal, type MailTransport } from './mail-transport.ts'

export type SmtpConfig = Extract<MailConfig, { provider: 'smtp' }>

type GetSocketCallback = (error: Error | null, socket?: { connection: Socket }) => void

/** `through` judges where the host lies; null for one that is not judged. */
const connectionTo = (
  { host, port, secure, verifyCertificate, user, password }: SmtpConfig,
  through: Destinations | null,
) =>
  createTransport({
    host,
    port,
    secure,
    // A password goes over an encrypted connection or nowhere.
    requireTLS: user !== null,
    tls: { rejectUnauthorized: verifyCertificate },
    ...(user !== null && { auth: { user, pass: password ?? '' } }),
    dnsTimeout: 10 * second,
    connectionTimeout: 10 * second,
    greetingTimeout: 10 * second,
    socketTimeout: 20 * second,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(through && {
      getSocket: (_options: unknown, callback: GetSocketCallback) => {
        through.connect(host, port).then((connection) => callback(null, { connection }), callback)
      },
    }),
  })

/** Hands mail to a mail server. Each gets a connection of its own: few are sent, and none waits behind another. */
export function smtpTransport(config: SmtpConfig, through: Destinations | null): MailTransport {
  const { from } = config
  const server = connectionTo(config, through)
  const domain = addressparser(from, { flatten: true })[0]?.address.split('@').at(-1)
  return {
    send: async ({ id, to, subject, text, html }, signal) => {
      try {
        const { response } = await server.sendMail({
          from,
          to: { name: '', address: to },
          subject,
          text,
          html,
          // The same at every attempt, so that a mail program that gets a mail twice shows it once.
          messageId: `<${id}@${domain}>`,
          // Asks for no automatic replies.
          headers: { 'auto-submitted': 'auto-generated', 'x-auto-response-suppress': 'All' },
          signal,
        })
        return { response, file: null }
      } catch (error) {
        throw toRefusal(hidden(toError(error), through), signal)
      }
    },
  }
}

/** Why the mail server does not let us in, in its words; null when it does, or would take mail without a name. */
export async function smtpProblem(config: SmtpConfig, through: Destinations | null): Promise<string | null> {
  const limit = new AbortController()
  const words = through ? new Unreachable().message : tookTooLong
  const tooLate = sleep(10 * second, words, { signal: limit.signal, ref: false })
  const answer = connectionTo(config, through)
    .verify()
    .then(
      () => null,
      (error: SmtpError) => wordsOf(hidden(error, through)),
    )
  const problem = await Promise.race([answer, tooLate])
  limit.abort()
  return problem
}

/** Errors before the greeting of the mail server are hidden: they would tell which ports of the network are open. */
const hidden = (error: SmtpError, through: Destinations | null): SmtpError =>
  through && error.command === 'CONN' && !isReply(error) ? new Unreachable(error) : error

const isReply = ({ response = '' }: SmtpError): boolean => /^[45]\d\d[ -]/.test(response)

const tookTooLong = 'The mail server took too long'
const wordsOf = ({ response, message }: SmtpError): string => response ?? message

/** What nodemailer puts on its errors. */
interface SmtpError extends Error {
  command?: string
  response?: string
  responseCode?: number
}

function toRefusal(error: SmtpError, signal: AbortSignal): MailRefusal {
  const isLate = signal.aborted && toError(signal.reason).name === 'TimeoutError'
  const words = isLate ? tookTooLong : wordsOf(error)
  return new MailRefusal(words, isFinal(error), { cause: error })
}

/** Replies to RCPT that are about the mailbox: no such user, moved, no such name, the domain takes no mail. */
const finalReplies = new Set([550, 551, 553, 556])

/**
 * Whether the recipient was refused for good. A refusal that is about the sender, the connection or a full mailbox also
 * comes with a 5, but somebody can put that right within the day in which the mail is tried again. The enhanced code
 * (RFC 3463) tells when there is one: class 5.1 is about the recipient's address, 5.2.1 about a mailbox that is closed.
 */
function isFinal({ command, response = '', responseCode = 0 }: SmtpError): boolean {
  if (command !== 'RCPT TO' || responseCode < 500) return false
  const [, detail] = /^\d{3}[ -]5\.(\d{1,3}\.\d{1,3})\b/.exec(response) ?? []
  if (detail === undefined || detail === '0.0') return finalReplies.has(responseCode)
  // 1.7 and 1.8: the address of the sender.
  return detail === '2.1' || (detail.startsWith('1.') && detail !== '1.7' && detail !== '1.8')
}
