import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { MailLinks } from '../../server/features/identity/mail-links.ts'
import { OneTimeSecrets } from '../../server/features/identity/one-time-secrets.ts'
import type { MailKind } from '../../server/features/messaging/index.ts'
import { openSecrets } from '../../server/platform/secrets.ts'
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
  const waiting = app.db.statement(
    "SELECT (SELECT count(*) FROM tasks WHERE finished_at IS NULL) + (SELECT count(*) FROM mail_messages WHERE status = 'queued')",
  )
  for (const end = Date.now() + 60_000; waiting.pluck().get(); await sleep(5))
    if (Date.now() > end)
      throw new Error(`Still waiting: ${JSON.stringify(app.db.statement('SELECT * FROM mail_messages').all())}`)
  return writtenMails(app.dataDir)
}

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
  if (!mail || found.length > 1) throw new Error(`There are ${found.length} mails "${kind}" to ${to ?? 'anybody'}`)
  return mail
}

/** Where the button of a mail leads. */
export function linkIn({ kind, text }: WrittenMail): URL {
  const [line] = /^https?:\/\/\S+$/m.exec(text) ?? []
  if (!line) throw new Error(`There is no link in the mail "${kind}":\n${text}`)
  return new URL(line)
}

export const tokenIn = (mail: WrittenMail): string => linkIn(mail).searchParams.get('token') ?? ''

/** The id of a link for mail that completes a registration; it works for an hour. */
export function linkThatWorks({ db, clock, dataDir }: TestApp): string {
  const links = new MailLinks(new OneTimeSecrets(db, clock), openSecrets(dataDir))
  const payload = { email: 'newcomer@x.test' }
  return links.issue('pending_registration', { userId: null, payload, lifeSeconds: 3600 })
}
