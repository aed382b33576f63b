import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileDurably } from '../../../shared/node/files.ts'
import type { MailTransport, OutgoingMail } from './mail-transport.ts'

export const mailFolder = (dataDir: string): string => join(dataDir, 'mail')

/** One JSON file for each mail, for boxes without a mail server and for tests; by name, they are in order of time. */
export function fileTransport(dataDir: string, from: string): MailTransport {
  const folder = mailFolder(dataDir)
  return {
    send: async ({ id, kind, to, subject, text, html, createdAt }: OutgoingMail) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const file = join(folder, `${createdAt.replaceAll(':', '-')}-${id}.json`)
      writeFileDurably(file, `${JSON.stringify({ kind, to, from, subject, text, html, createdAt }, null, 2)}\n`)
      return { response: `Written to ${file}`, file }
    },
  }
}
