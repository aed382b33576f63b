import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../server/db/database.ts'
import { MailLinks } from '../../server/features/authentication/one-time-secrets/mail-links.ts'
import { OneTimeSecrets } from '../../server/features/authentication/one-time-secrets/one-time-secrets.ts'
import type { PendingRegistration } from '../../server/features/authentication/one-time-secrets/secret-payloads.ts'
import type { MailKind } from '../../server/features/messaging/index.ts'
import { isoNow } from '../../server/platform/clock.ts'
import { openSecrets } from '../../server/platform/secrets.ts'
import { openTasks } from './tasks.ts'
import type { TestApp } from './test-app.ts'

export interface WrittenMail {
  kind: MailKind
  to: string
  from: string
  subject: string
  text: string
  html: string
  createdAt: string
}

/** For `testApp({ env: mailToFiles })`. */
export const mailToFiles = { EMAIL_PROVIDER: 'file' }

/** Every mail the appliance has sent so far, oldest first, once nothing waits any more. Needs `mailToFiles`. */
export async function mailsOf(app: TestApp): Promise<WrittenMail[]> {
  if (app.config.mail?.provider !== 'file') throw new Error('mailsOf needs an app with EMAIL_PROVIDER=file')
  for (const end = Date.now() + 60_000; openTasks(app) > 0; await sleep(5))
    if (Date.now() > end)
      throw new Error(`Still waiting: ${JSON.stringify(app.db.statement('SELECT * FROM tasks').all())}`)
  return writtenMails(app.dataDir)
}

/** A mail as it stands among the tasks. */
export interface MailRow {
  id: string
  kind: MailKind
  recipient: string
  data: string
  status: 'queued' | 'sent' | 'failed' | 'expired'
  attempts: number
  next_attempt_at: string | null
  last_error: string | null
  expires_at: string | null
  sent_at: string | null
}

/** All there are, oldest first, in the words of the API. */
export const mailRows = (db: Database): MailRow[] =>
  db
    .statement(
      `SELECT id, input ->> 'kind' AS kind, input ->> 'to' AS recipient, input ->> 'data' AS data,
         CASE WHEN state IN ('waiting', 'active') THEN 'queued' WHEN state = 'completed' THEN 'sent'
           WHEN state = 'failed' THEN 'failed' ELSE 'expired' END AS status,
         attempts, due_at AS next_attempt_at, error AS last_error, deadline_at AS expires_at,
         iif(state = 'completed', finished_at, NULL) AS sent_at
       FROM tasks WHERE kind = 'mail.send' ORDER BY seq`,
    )
    .all() as MailRow[]

/** Puts all mail to an address into a final state. */
export const setMailState = (app: TestApp, to: string, state: 'completed' | 'failed' | 'expired'): void =>
  void app.db
    .statement(
      `UPDATE tasks SET state = ?, due_at = NULL, finished_at = ? WHERE kind = 'mail.send' AND input ->> 'to' = ?`,
    )
    .run(state, isoNow(app.clock), to)

/** The mails in a data directory, for an appliance in a process of its own. */
export function writtenMails(dataDir: string): WrittenMail[] {
  const folder = join(dataDir, 'mail')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as WrittenMail)
}

/** The one mail of this kind, to this address if it is given. */
export async function mailOf(app: TestApp, kind: MailKind, to?: string): Promise<WrittenMail> {
  const found = (await mailsOf(app)).filter((mail) => mail.kind === kind && (to === undefined || mail.to === to))
  const [mail] = found
  if (!mail || found.length > 1) throw new Error(`${found.length} mails "${kind}" to ${to ?? 'anybody'}`)
  return mail
}

/** The address behind the button of a mail. */
export function linkIn({ kind, text }: WrittenMail): URL {
  const [line] = /^https?:\/\/\S+$/m.exec(text) ?? []
  if (!line) throw new Error(`There is no link in the mail "${kind}":\n${text}`)
  return new URL(line)
}

export const tokenIn = (mail: WrittenMail): string => linkIn(mail).searchParams.get('token') ?? ''

/** What a link that completes a registration stores. */
export const pendingRegistration = (email: string): PendingRegistration => ({
  companyName: 'Newcomer',
  name: 'New Comer',
  email,
  passwordHash: '',
  termsAcceptedAt: new Date(0).toISOString(),
  ip: '127.0.0.1',
  userAgent: null,
})

/** The id of a link for mail that completes a registration; it works for an hour. */
export function linkThatWorks({ db, clock, dataDir }: TestApp): string {
  const links = new MailLinks(new OneTimeSecrets(db, clock), openSecrets(dataDir))
  const payload = pendingRegistration('newcomer@x.test')
  return links.issue('pending_registration', { userId: null, payload, lifeSeconds: 3600 })
}
