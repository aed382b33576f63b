import { expect, test } from 'vitest'
import { mailSubject } from '../../renderer/features/messaging/mail-labels.ts'
import type { MailKind } from '../../server/features/messaging/mail-kinds.ts'
import { mailTexts } from '../../server/features/messaging/mail-texts.ts'

// A test mail is never queued, so no list shows it.
const listed = (Object.keys(mailTexts) as MailKind[]).filter((kind) => kind !== 'test')

test.each(listed)('the console calls a mail of the kind %s by the subject that its reader sees', (kind) => {
  const now = new Date(0).toISOString()
  const people = {
    name: 'Ada',
    companyName: 'Acme',
    registrant: 'Ada',
    newEmail: 'a@b.test',
    inviter: 'Bo',
    place: 'Acme',
    orgName: 'Acme',
  }
  const backups = { problems: [], devices: [], count: 0 }
  const data = { ...people, ...backups, at: now, deadline: now, purgeAt: now, until: now, minutes: 15 }
  const write = mailTexts[kind] as (data: object, occasion: object) => { subject: string }
  const occasion = { home: 'https://box.test', link: '', sideLink: '', lifeMs: 3_600_000, expiresAt: now }
  // The list does not say which organization it is about.
  const subject = write({ ...data, news: 'passkey-added' }, occasion).subject.replace(/: Acme$/, '')
  expect(mailSubject(kind)).toBe(subject)
})
