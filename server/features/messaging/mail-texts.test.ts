import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { minute } from '../../platform/clock.ts'
import { openSecrets, type Secrets } from '../../platform/secrets.ts'
import { linkKinds, type MailData, type MailKind } from './mail-kinds.ts'
import { mailTexts } from './mail-texts.ts'
import { MailWriter } from './mail-writer.ts'

const home = 'https://box.acme.test:8443'
const dataDir = mkdtempSync(join(tmpdir(), 'homeport-letters-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))
const secrets: Secrets = openSecrets(dataDir)
const writer = new MailWriter(secrets, () => home)

const createdAt = '2026-03-01T09:00:00.000Z'
const deadline = '2026-03-08T09:30:00.000Z'
const samples = (name: string, linkId = 'record-1'): MailData => ({
  'verify-registration': { name, companyName: name, linkId },
  'registration-attempted': { name },
  'company-registered': {
    name,
    companyName: name,
    registrant: name,
    registrantEmail: 'grace@sons.test',
    ip: '203.0.113.7',
    at: createdAt,
    isLast: false,
  },
  'verify-email-change': { name, newEmail: `${name}@new.test`, linkId },
  'verify-address': { name, linkId },
  'email-change-requested': { name, newEmail: `${name}@new.test` },
  'email-changed': { name, newEmail: `${name}@new.test` },
  'password-reset': { name, linkId },
  'password-changed': { name, at: createdAt },
  'account-locked': { name, minutes: 15, until: deadline, isKnownBrowser: false, linkId, unlockId: 'record-2' },
  'factors-changed': { name, news: 'passkey-added', at: createdAt },
  'mfa-window-opened': { name, deadline },
  'mfa-window-reminder': { name, deadline },
  invitation: { name, inviter: name, place: name, linkId },
  'invitation-existing': { name, inviter: name, place: name, linkId },
  'purge-warning': { name, orgId: linkId, orgName: name, purgeAt: deadline },
  'backup-digest': {
    orgId: linkId,
    orgName: name,
    problems: [
      { problem: 'failed', count: 3, devices: [name, 'pc-2'] },
      { problem: 'missed', count: 1, devices: [name] },
    ],
  },
  'backup-missed': { orgId: linkId, orgName: name, mailingId: linkId, count: 1, devices: [name] },
  'backup-unusual-change': { orgId: linkId, orgName: name, mailingId: linkId, count: 1, devices: [name] },
  'backup-recovery-sheet': { orgId: linkId, orgName: name },
  'backup-sla-breach': { orgId: linkId, orgName: name, slaName: 'Servers', count: 1, devices: [name] },
  'backup-copy-late': { orgId: linkId, orgName: name, mailingId: linkId, count: 1, devices: [name] },
  'backup-copy-failed': { orgId: linkId, orgName: name, mailingId: linkId, count: 1, devices: [name] },
  'backup-check-failed': { orgId: linkId, orgName: name, mailingId: linkId, count: 1, devices: [name] },
  test: { sender: name },
})
const kinds = Object.keys(mailTexts) as MailKind[]
const written = <Kind extends MailKind>(kind: Kind, data: MailData[Kind], lifeMinutes = 60) => {
  const expiresAt = kind in linkKinds ? new Date(Date.parse(createdAt) + lifeMinutes * minute).toISOString() : null
  return writer.write({ kind, data, createdAt, expiresAt })
}
const addressesIn = (text: string) => [...text.matchAll(/\bhttps?:\/\/[^\s"'<>]+/g)].map(([address]) => address)

describe.each(kinds)('%s', (kind) => {
  test('names the person, the reason for the mail and the appliance, as text and as HTML', () => {
    const { subject, text, html } = written(kind, samples('Ada Lovelace')[kind])
    expect(subject.length).toBeGreaterThan(10)
    expect(subject.length).toBeLessThan(60)
    for (const part of [text, html]) {
      expect(part).toContain('Ada Lovelace')
      expect(part).toContain('You received this email because')
      expect(part).toMatch(/Homeport at (<a .*?>)?(https:\/\/)?box\.acme\.test:8443/)
      expect(part).not.toMatch(/undefined|\bnull\b|NaN|\[object|\$\{|Invalid Date/)
    }
    expect(html).toContain(`<title>${subject}</title>`)
    expect(html).toContain('<meta name="color-scheme" content="light dark">')
  })

  test('loads no external resource and links only to the appliance', () => {
    const { text, html } = written(kind, samples('Ada')[kind])
    expect(html).not.toMatch(/<(img|link|script|iframe|object|form|base)\b|\bsrc=|url\(|@import|http-equiv|\son\w+=/i)
    for (const address of [...addressesIn(text), ...addressesIn(html)]) expect(new URL(address).origin).toBe(home)
  })

  test('escapes hostile names and keeps them on one line', () => {
    const hostile = `<script>alert(1)</script>"'&\r\nBcc: everybody@evil.test\u2028\u0000\u202ex`
    const onOneLine = () => `<script>alert(1)</script>"'& Bcc: everybody@evil.test x`
    const { subject, text, html } = written(kind, samples(hostile)[kind])
    const harmless = written(kind, samples('x')[kind])
    // The name of an organization, and only where its recipients look after it.
    const isNamed = [
      'purge-warning',
      'backup-digest',
      'backup-missed',
      'backup-unusual-change',
      'backup-recovery-sheet',
      'backup-copy-late',
      'backup-copy-failed',
      'backup-check-failed',
      'backup-sla-breach',
    ].includes(kind)
    expect(subject).toBe(isNamed ? harmless.subject.replace(/x$/, onOneLine) : harmless.subject)
    expect(html).not.toContain('<script')
    expect(html).not.toContain(`"'&`)
    for (const part of [text, html]) expect(part).not.toMatch(/^Bcc:|[\r\u2028\u202e]|\p{Cc}(?<!\n)/mu)
    expect(text.split('\n')).toHaveLength(harmless.text.split('\n').length)
    const shape = (markup: string) => markup.match(/<\/?[a-z]+\d?/g)
    expect(shape(html)).toEqual(shape(harmless.html))
  })
})

test.each(['registration-attempted', 'company-registered', 'email-change-requested', 'email-changed'] as const)(
  'the warning mail %s contains no link',
  (kind) => {
    const { text, html } = written(kind, samples('Ada')[kind])
    expect(`${text}${html}`).not.toMatch(/https?:|href=|www\./)
  },
)

const pages: Record<(typeof linkKinds)[keyof typeof linkKinds], string> = {
  pending_registration: '/auth/verify-email',
  email_verification: '/auth/verify-email',
  password_reset: '/reset-password',
  invite: '/accept-invite',
}

describe.each(Object.entries(linkKinds))('the link of %s', (kind, linkKind) => {
  test('carries the token of its record, appears in full in both parts, and its lifetime is stated', () => {
    const { text, html } = written(kind as MailKind, samples('Ada')[kind as MailKind])
    const token = secrets.linkToken(linkKind, 'record-1')
    const link = `${home}${pages[linkKind]}?token=${token}`
    expect(text.split('\n')).toContain(link)
    expect(html.split(`href="${link}"`)).toHaveLength(3)
    expect(html).toContain(`>${link}</a>`)
    for (const part of [text, html]) expect(part).toContain('works once and expires on 1 March 2026 at 10:00 UTC')
  })
})

test('a mail states when its link expires', () => {
  const { text } = written('verify-address', { name: 'Ada', linkId: 'r' }, 24 * 60)
  expect(text).toContain('This link works once and expires on 2 March 2026 at 09:00 UTC')
})

test.each([
  [7 * 24 * 60, '7 days'],
  [24 * 60, '24 hours'],
  [60, '1 hour'],
  [90, '1 hour and 30 minutes'],
  [47.3, '47 minutes'],
  [2 * 24 * 60 + 61, '2 days, 1 hour, and 1 minute'],
  [0.2, '1 minute'],
])('a lock of %d minutes is written as "%s"', (minutes, words) => {
  const { text } = written('account-locked', { ...samples('Ada')['account-locked'], minutes })
  expect(text).toContain(`locked for ${words}, until`)
})

test('a lock-out mail states the minutes, and an MFA window mail states its deadline and the setup page', () => {
  const sample = samples('Ada')['account-locked']
  expect(written('account-locked', sample).text).toContain('locked for 15 minutes')
  const longest = written('account-locked', { ...sample, minutes: 24 * 60 })
  expect(longest.text).toContain('locked for 24 hours')
  for (const kind of ['mfa-window-opened', 'mfa-window-reminder'] as const) {
    const { text } = written(kind, { name: 'Ada', deadline })
    expect(text).toContain('8 March 2026 at 09:30 UTC')
    expect(text).toContain(`${home}/auth/mfa/setup\n`)
  }
})

test.each([true, false])(
  'a lock-out mail has an unlock link and states its deadline, with isKnownBrowser %s',
  (isKnownBrowser) => {
    const { text, html } = written('account-locked', { ...samples('Ada')['account-locked'], isKnownBrowser })
    const link = `${home}/unlock-account?token=${secrets.linkToken('account_unlock', 'record-2')}`
    expect(text.split('\n')).toContain(link)
    expect(html.split(`href="${link}"`)).toHaveLength(3)
    for (const part of [text, html]) {
      expect(part).toContain('works once and expires on 8 March 2026 at 09:30 UTC')
      expect(part.includes('In that browser the account is locked')).toBe(isKnownBrowser)
    }
  },
)

test.each([
  'Win at https://evil.test',
  'www.evil.test',
  'evil.test/now',
  'call@evil.test',
  'a:b',
  'evil．test',
  'evil。test',
])('registration and invitation mails omit a name that looks like a link or an address: "%s"', (name) => {
  const { text, html } = written('verify-registration', { name, companyName: name, linkId: 'r' })
  const invited = written('invitation', { name, inviter: name, place: name, linkId: 'r' })
  for (const part of [text, html, invited.text, invited.html]) expect(part).not.toContain(name)
  expect(text).toMatch(/^Hello,\n/)
  expect(text).toContain('the Homeport account of your company')
})

test('a mail to verify a new address omits a user name that contains a link', () => {
  const name = 'Client, see https://evil.test'
  const { text, html } = written('verify-email-change', { name, newEmail: 'victim@bank.test', linkId: 'r' })
  for (const part of [text, html]) expect(part).not.toContain('evil')
  expect(text).toMatch(/^Hello,\n/)
})

test('a company-registered mail shows the company name only once per part, in the text in quotes', () => {
  const companyName = 'Homeport was hacked, call 555-0100. It'
  const { text, html } = written('company-registered', { ...samples('Ada')['company-registered'], companyName })
  for (const part of [text, html]) expect(part.split(companyName)).toHaveLength(2)
  expect(text).toContain(`“${companyName}” registered`)
  expect(text).toContain('is “Ada”, grace@sons.test')
})

test('a registration mail shows an ordinary user name and company name', () => {
  const { text } = written('verify-registration', { name: 'Dr. Ada King', companyName: 'Acme Inc.', linkId: 'r' })
  expect(text).toContain('Hello Dr. Ada King,')
  expect(text).toContain('for Acme Inc.')
})

test('a mail about backups names devices by problem with what to do, and says how many it does not name', () => {
  const { text, html } = written('backup-digest', samples('pc-1')['backup-digest'])
  expect(text).toContain(
    [
      '3 devices: the last backup failed. The device’s Backup tab says why and what to do.',
      '',
      '- pc-1',
      '- pc-2',
      '- and 1 more device',
      '',
      '1 device: the last backup was missed. Check that the device is turned on and connected when backups are due.',
      '',
      '- pc-1',
    ].join('\n'),
  )
  expect(html.match(/<li>[^<]+<\/li>/g)).toHaveLength(4)
  expect(text).toContain(`${home}/backup/overview?org=record-1`)
  const missed = written('backup-missed', { ...samples('pc-1')['backup-missed'], count: 1200 })
  expect(missed.text).toContain('1,200 devices in pc-1 missed two backups in a row.')
  expect(missed.text).toContain('- pc-1\n- and 1,199 more devices\n')
})
