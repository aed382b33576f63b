import { minute } from '../../platform/clock.ts'
import type { BackupDigestProblem, DeviceNames, FactorNews, LinkMailKind, MailData, MailKind } from './mail-kinds.ts'
import type { MailContent } from './mail-layout.ts'

/** What the text of a mail may need besides its own data. */
export interface MailContext {
  /** Where the appliance is, without a slash at the end. */
  home: string
  /** The address its link opens; empty for kinds without one. */
  link: string
  /** The address of a further link; empty for kinds without one. */
  sideLink: string
  expiresAt: string
}

type Write<Kind extends MailKind> = (data: MailData[Kind], occasion: MailContext) => MailContent

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
const onDay = (instant: string) => day.format(new Date(instant))
const at = (instant: string) => `${moment.format(new Date(instant))} UTC`
const inMinutes = { day: 24 * 60, hour: 60, minute: 1 } as const
const count = (amount: number, unit: keyof typeof inMinutes) =>
  new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(amount)
const list = new Intl.ListFormat('en')

/** Rounded to minutes. A day alone is `24 hours`. */
function duration(ms: number): string {
  let rest = Math.max(1, Math.round(ms / minute))
  const units = rest > inMinutes.day ? (['day', 'hour', 'minute'] as const) : (['hour', 'minute'] as const)
  const parts = units.map((unit) => {
    const amount = Math.floor(rest / inMinutes[unit])
    rest -= amount * inMinutes[unit]
    return amount > 0 && count(amount, unit)
  })
  return list.format(parts.filter((part) => part !== false))
}

/** Names in mail to people who need not know their author are not shown when a mail program would make a link of them. */
const withoutLink = (name: string): string | null => (/[/\\@]|:\S|[.。]\S/.test(name.normalize('NFKC')) ? null : name)
const hello = (name: string | null) => (name ? `Hello ${name},` : 'Hello,')

const life = ({ expiresAt }: MailContext) => `This link works once and expires on ${at(expiresAt)}.`

const resetButton = (occasion: MailContext) => ({
  label: 'Reset password',
  url: occasion.link,
  note: life(occasion),
})

export const mailTexts: { [Kind in MailKind]: Write<Kind> } = {
  'verify-registration': ({ name, companyName }, occasion) => {
    const company = withoutLink(companyName)
    return {
      subject: 'Confirm your email address',
      preheader: 'One click and your Homeport account is ready.',
      greeting: hello(withoutLink(name)),
      paragraphs: [
        `Confirm this address to create the Homeport account ${company ? `for ${company}` : 'of your company'}.`,
      ],
      button: { label: 'Confirm address', url: occasion.link, note: life(occasion) },
      warning: 'If you didn’t register, you can ignore this email: no account is created without the link.',
      reason: 'You received this email because someone registered on this Homeport appliance with your address.',
    }
  },
  'registration-attempted': ({ name }) => ({
    subject: 'Someone tried to register with your address',
    preheader: 'You already have an account; nothing was changed.',
    greeting: hello(name),
    paragraphs: [
      'Someone tried to register a new Homeport account with your email address. You already have one, so nothing was created or changed.',
      'If it was you, sign in as usual. If you forgot your password, reset it there.',
    ],
    warning: 'If it wasn’t you, you don’t need to do anything: they weren’t told that you have an account.',
    reason: 'You received this email because you have an account on this Homeport appliance.',
    isWithoutLinks: true,
  }),
  'company-registered': ({ name, companyName, registrant, registrantEmail, ip, at: registeredAt, isLast }) => {
    // In quotes, because a stranger chose these words.
    const [company, person] = [withoutLink(companyName), withoutLink(registrant)].map((words) => words && `“${words}”`)
    return {
      subject: 'A company registered on your appliance',
      preheader: 'The company now has an account on your appliance.',
      greeting: hello(name),
      paragraphs: [
        `${company ?? 'A company'} registered on your Homeport appliance on ${at(registeredAt)} from the IP address ${ip}. Its first administrator is ${person ? `${person}, ${registrantEmail}` : registrantEmail}; that address is confirmed.`,
        'It can now add its own devices. It can’t see other companies.',
        ...(isLast
          ? [
              'There were many registrations recently, so you won’t get an email about the next ones for up to a day. The audit log lists all of them.',
            ]
          : []),
      ],
      warning:
        'To turn registration off, open “Appliance” in the console, or start the appliance with ENABLE_REGISTRATION=false. Existing companies stay.',
      reason: 'You received this email because you’re a platform administrator of this Homeport appliance.',
      isWithoutLinks: true,
    }
  },
  'verify-email-change': ({ name, newEmail }, occasion) => ({
    subject: 'Confirm your new email address',
    preheader: 'Until then, your account keeps its old address.',
    greeting: hello(withoutLink(name)),
    paragraphs: [
      `Confirm that ${newEmail} is yours to use it for your Homeport account. You’ll be signed out everywhere and sign in with the new address.`,
    ],
    button: { label: 'Confirm new address', url: occasion.link, note: life(occasion) },
    warning: 'If you didn’t request this, you can ignore this email: nothing changes without the link.',
    reason: 'You received this email because someone entered your address as the new one for a Homeport account.',
  }),
  'verify-address': ({ name }, occasion) => ({
    subject: 'Confirm your email address',
    preheader: 'Confirm that this address is yours.',
    greeting: hello(name),
    paragraphs: ['Confirm that this is the email address of your Homeport account.'],
    button: { label: 'Confirm address', url: occasion.link, note: life(occasion) },
    warning: 'If you didn’t request this, you can ignore this email.',
    reason: 'You received this email because it was requested in your Homeport account.',
  }),
  'email-change-requested': ({ name, newEmail }) => ({
    subject: 'A new email address was requested for your account',
    preheader: 'Nothing changes until the new address is confirmed.',
    greeting: hello(name),
    paragraphs: [
      `Someone signed in to your Homeport account asked to change its email address to ${newEmail}. Nothing changes until that address is confirmed.`,
    ],
    warning:
      'If it wasn’t you, someone else has access to your account: sign in, change your password immediately and tell your administrator.',
    reason: 'You received this email because this is the address of your Homeport account.',
    isWithoutLinks: true,
  }),
  'email-changed': ({ name, newEmail }) => ({
    subject: 'Your email address was changed',
    preheader: 'Sign in with the new address from now on.',
    greeting: hello(name),
    paragraphs: [
      `Your Homeport account now has the email address ${newEmail}. All sessions have ended; sign in with the new address.`,
    ],
    warning: 'If it wasn’t you, tell your administrator immediately.',
    reason: 'You received this email because this was the address of your Homeport account until now.',
    isWithoutLinks: true,
  }),
  'password-reset': ({ name }, occasion) => ({
    subject: 'Reset your password',
    preheader: 'Use this link to choose a new password.',
    greeting: hello(name),
    paragraphs: [
      'Someone, probably you, asked to reset the password of your Homeport account. When you choose a new one, you’ll be signed out on all devices.',
    ],
    button: resetButton(occasion),
    warning: 'If it wasn’t you, you can ignore this email: your password stays the same, and nobody is signed out.',
    reason: 'You received this email because this is the address of your Homeport account.',
  }),
  'password-changed': ({ name, at: changedAt }, { home }) => ({
    subject: 'Your password was changed',
    preheader: 'All sessions of your account have ended.',
    greeting: hello(name),
    paragraphs: [
      `The password of your Homeport account was changed on ${at(changedAt)}. All sessions have ended; sign in with the new one.`,
    ],
    warning: `If it wasn’t you, reset your password at ${home}/forgot-password immediately and tell your administrator.`,
    reason: 'You received this email because this is the address of your Homeport account.',
  }),
  'account-locked': ({ name, minutes, until, isKnownBrowser }, occasion) => {
    const time = `locked for ${duration(minutes * minute)}, until ${at(until)}`
    const what = isKnownBrowser
      ? `, all from a browser you’ve signed in with before. In that browser the account is ${time}; until then even the correct password doesn’t work there.`
      : `. The account is ${time}; until then even the correct password doesn’t work, except in browsers you’ve signed in with before.`
    return {
      subject: 'Your account is locked',
      preheader: 'Too many attempts with a wrong password.',
      greeting: hello(name),
      paragraphs: [
        `There were too many attempts to sign in to your Homeport account with a wrong password${what}`,
        'Resetting your password unlocks the account immediately. If you know your password, you can unlock it without a reset.',
      ],
      button: resetButton(occasion),
      furtherButton: {
        label: 'Unlock account',
        url: occasion.sideLink,
        note: `This link works once and expires on ${at(until)}. Open it in the browser you want to sign in with.`,
      },
      warning:
        'If it wasn’t you, someone is guessing your password. They haven’t gotten in; a long password and a second factor keep it that way.',
      reason: 'You received this email because this is the address of your Homeport account.',
    }
  },
  'factors-changed': ({ name, news, at: changedAt }, { home }) => ({
    subject: 'Your second factors were changed',
    preheader: newsWords[news],
    greeting: hello(name),
    paragraphs: [`${newsWords[news]} Date: ${at(changedAt)}.`],
    warning: `If it wasn’t you, reset your password at ${home}/forgot-password immediately and tell your administrator.`,
    reason: 'You received this email because this is the address of your Homeport account.',
  }),
  'mfa-window-opened': ({ name, deadline }, { home }) => ({
    subject: 'Set up two-factor authentication',
    preheader: `Your company requires it from ${onDay(deadline)}.`,
    greeting: hello(name),
    paragraphs: [
      'Your company requires a second factor to sign in, such as a passkey or an authenticator app.',
      `You have until ${at(deadline)}. After that, you’ll have to set it up before you can continue.`,
    ],
    button: factorButton(home),
    reason: 'You received this email because your Homeport account has no second factor yet.',
  }),
  'mfa-window-reminder': ({ name, deadline }, { home }) => ({
    subject: 'Your account still needs a second factor',
    preheader: `Set it up before ${onDay(deadline)}.`,
    greeting: hello(name),
    paragraphs: [
      `Your company requires a second factor, and your account still has none. From ${at(deadline)}, you’ll have to set it up before you can continue. It takes two minutes.`,
    ],
    button: factorButton(home),
    reason: 'You received this email because your Homeport account has no second factor yet.',
  }),
  invitation: ({ name, inviter, place }, occasion) => {
    const [person, team] = [withoutLink(inviter), withoutLink(place)]
    return {
      subject: 'You’re invited to Homeport',
      preheader: 'Open the link to set up your account.',
      greeting: hello(withoutLink(name)),
      paragraphs: [
        `${person ?? 'An administrator'} invited you to ${team ? `${team} on Homeport` : 'Homeport'}, the device management console.`,
        'Follow the link to set up your account and sign in.',
      ],
      button: { label: 'Accept invitation', url: occasion.link, note: life(occasion) },
      warning: 'If you weren’t expecting this, you can ignore this email.',
      reason: 'You received this email because an administrator of this Homeport appliance entered your address.',
    }
  },
  'invitation-existing': ({ name, inviter, place }, occasion) => {
    const [person, team] = [withoutLink(inviter), withoutLink(place)]
    return {
      subject: 'You’ve been given access in Homeport',
      preheader: 'Sign in with your existing account to accept.',
      greeting: hello(withoutLink(name)),
      paragraphs: [
        `${person ?? 'An administrator'} invited your Homeport account to ${team ?? 'another team'}. Sign in as usual and accept; you’ll also find the invitation in your profile.`,
        'Your account doesn’t change until you accept, and they can’t see anything about it.',
      ],
      button: { label: 'View invitation', url: occasion.link, note: life(occasion) },
      warning: 'If you don’t know them, decline the invitation or ignore this email.',
      reason: 'You received this email because this is the address of your Homeport account.',
    }
  },
  'purge-warning': ({ name, orgName, purgeAt }, { home }) => ({
    subject: `Archived organization will be deleted: ${orgName}`,
    preheader: `On ${onDay(purgeAt)}, unless someone restores it first.`,
    greeting: hello(name),
    paragraphs: [
      `The organization ${orgName} is archived and will be deleted on ${at(purgeAt)}, with its sites, devices, contacts and audit log. After that it can’t be restored.`,
      'To keep it, restore it before then. Otherwise you don’t need to do anything.',
    ],
    button: {
      label: 'View organizations',
      url: `${home}/organizations`,
      note: 'Archived ones are at the end of the list.',
    },
    reason: 'You received this email because you’re an administrator of your company in Homeport.',
  }),
  'backup-digest': ({ orgId, orgName, problems }, { home }) => ({
    subject: `Backups that need attention: ${orgName}`,
    preheader: `${devicesOf(problems.reduce((sum, { count }) => sum + count, 0))} in ${orgName}.`,
    greeting: hello(null),
    paragraphs: [`This morning, backups of ${orgName} need attention.`],
    lists: problems.map(({ problem, count, devices }) => ({
      title: `${problemWords[problem](devicesOf(count))} ${problemAdvice[problem]}`,
      items: namesOf(devices, count),
    })),
    button: backupsButton(home, orgId),
    reason: backupReason,
  }),
  'backup-missed': ({ orgId, orgName, count, devices }, { home }) => ({
    subject: `Two backups in a row were missed: ${orgName}`,
    preheader: `${devicesOf(count)} in ${orgName}.`,
    greeting: hello(null),
    paragraphs: [
      `${devicesOf(count)} in ${orgName} missed two backups in a row.`,
      'Check that they’re turned on and connected when backups are due. Where a backup failed, its page says why.',
    ],
    lists: [{ title: 'Without a current backup:', items: namesOf(devices, count) }],
    button: backupsButton(home, orgId),
    reason: backupReason,
  }),
  'backup-unusual-change': ({ orgId, orgName, count, devices }, { home }) => ({
    subject: `Unusual change in backups: ${orgName}`,
    preheader: `${devicesOf(count)} in ${orgName}: this may be ransomware.`,
    greeting: hello(null),
    paragraphs: [
      `On ${devicesOf(count)} in ${orgName}, far more files changed between two backups than usual, or can no longer be read. This may be ransomware.`,
      'Older snapshots are kept until somebody has decided. Look at the comparison; if you didn’t expect the change, disconnect the device from the network.',
    ],
    lists: [{ title: 'Look at:', items: namesOf(devices, count) }],
    button: backupsButton(home, orgId),
    reason: backupReason,
  }),
  'backup-recovery-sheet': ({ orgId, orgName }, { home }) => ({
    subject: `Recovery sheet not locked away: ${orgName}`,
    preheader: `Without it, a lost appliance means lost backups.`,
    greeting: hello(null),
    paragraphs: [
      `Nobody has confirmed yet that the recovery sheet of ${orgName} is locked away. If the appliance is lost, its backups can only be opened with that sheet.`,
      'Print it, keep it away from the appliance, and confirm that in Homeport. Until then we’ll remind you once a month.',
    ],
    button: {
      label: 'Print the recovery sheet',
      url: `${home}/backup/keys?org=${orgId}&open=sheet`,
      note: 'You’ll need to be signed in.',
    },
    reason: backupReason,
  }),
  'backup-sla-breach': ({ orgId, orgName, slaName, count, devices }, { home }) => ({
    subject: `Backup SLA not met: ${orgName}`,
    preheader: `${devicesOf(count)} in ${orgName}.`,
    greeting: hello(null),
    paragraphs: [
      `${devicesOf(count)} in ${orgName} no longer ${count === 1 ? 'meets' : 'meet'} the SLA “${slaName}”: the newest backup is too old, or a restore would take too long.`,
      'The page “SLA” says what is wrong with each of them, and what to do. This email isn’t repeated while it stays that way.',
    ],
    lists: [{ title: 'Not met on:', items: namesOf(devices, count) }],
    button: { label: 'View SLA', url: `${home}/backup/sla?org=${orgId}`, note: 'You’ll need to be signed in.' },
    reason: backupReason,
  }),
  'backup-copy-late': ({ orgId, orgName, count, devices }, { home }) => ({
    subject: `A second copy of backups is late: ${orgName}`,
    preheader: `${devicesOf(count)} in ${orgName}.`,
    greeting: hello(null),
    paragraphs: [
      `New backups of ${devicesOf(count)} in ${orgName} have waited for their second copy for days.`,
      'If it’s on a disk, connect the disk: copying begins automatically. The page “Second copies” says what each one waits for.',
    ],
    lists: [{ title: 'Without a current second copy:', items: namesOf(devices, count) }],
    button: backupsButton(home, orgId),
    reason: backupReason,
  }),
  'backup-copy-failed': ({ orgId, orgName, count, devices }, { home }) => ({
    subject: `A second copy of backups failed: ${orgName}`,
    preheader: `${devicesOf(count)} in ${orgName}: don’t rely on the second copy.`,
    greeting: hello(null),
    paragraphs: [
      `The second copy of ${devicesOf(count)} in ${orgName} couldn’t be made, or is damaged. The backups themselves aren’t affected.`,
      'The page “Second copies” says what is wrong. This email isn’t repeated while it stays that way.',
    ],
    lists: [{ title: 'Without a good second copy:', items: namesOf(devices, count) }],
    button: {
      label: 'View second copies',
      url: `${home}/backup/second-copies?org=${orgId}`,
      note: 'You’ll need to be signed in.',
    },
    reason: backupReason,
  }),
  'backup-check-failed': ({ orgId, orgName, count, devices }, { home }) => ({
    subject: `A check of backups failed: ${orgName}`,
    preheader: `${devicesOf(count)} in ${orgName}: a backup may not be restorable.`,
    greeting: hello(null),
    paragraphs: [
      `Backups of ${devicesOf(count)} in ${orgName} were checked, and could not be proven to be as they should.`,
      'The tab “Backup” of the device says what was found, and which files are affected. Older backups, and those to another storage, may still be good.',
    ],
    lists: [{ title: 'Look at:', items: namesOf(devices, count) }],
    button: backupsButton(home, orgId),
    reason: backupReason,
  }),
  test: ({ sender }) => ({
    subject: 'Email from Homeport works',
    preheader: 'This is the test email you requested.',
    greeting: hello(null),
    paragraphs: ['This is a test. If you can read it, the appliance can send email.'],
    reason: `You received this email because ${sender} sent a test from the settings of this Homeport appliance.`,
  }),
}

const newsWords: Record<FactorNews, string> = {
  'authenticator-app-added': 'An authenticator app was added to your Homeport account.',
  'authenticator-app-replaced':
    'The authenticator app of your Homeport account was replaced; codes from the old one no longer work.',
  'text-message-added': 'Codes by text message were turned on for your Homeport account.',
  'switched-to-app': 'An authenticator app replaced text messages as the second factor of your Homeport account.',
  'switched-to-text-messages':
    'Text messages replaced the authenticator app as the second factor of your Homeport account.',
  'phone-replaced': 'Codes for your Homeport account now go to another phone number.',
  'passkey-added': 'A passkey was added to your Homeport account.',
  'passkey-deleted': 'A passkey was removed from your Homeport account.',
  'recovery-codes-rotated': 'New recovery codes were created for your Homeport account; the old ones no longer work.',
  'mfa-disabled': 'Two-factor authentication was turned off for your Homeport account.',
  'mfa-reset': 'An administrator removed every second factor of your Homeport account.',
}

const devicesOf = (amount: number): string =>
  amount === 1 ? '1 device' : `${new Intl.NumberFormat('en').format(amount)} devices`

/** The first of them, and how many more there are. */
const namesOf = (names: DeviceNames, amount: number): string[] =>
  amount > names.length ? [...names, `and ${devicesOf(amount - names.length).replace(' ', ' more ')}`] : names

const problemWords: Record<BackupDigestProblem, (devices: string) => string> = {
  broken_profile: (devices) => `${devices}: nothing to back up.`,
  no_config: (devices) => `${devices}: no storage.`,
  no_engine: (devices) => `${devices}: no backup engine.`,
  failed: (devices) => `${devices}: the last backup failed.`,
  never: (devices) => `${devices}: never backed up.`,
  missed: (devices) => `${devices}: the last backup was missed.`,
  partial: (devices) => `${devices}: some files weren’t backed up.`,
}

const problemAdvice: Record<BackupDigestProblem, string> = {
  broken_profile: 'Change the backup profile of the policy.',
  no_config: 'Choose a storage in the policy, or a default storage for the organization.',
  no_engine: 'Under Appliance, “Backup engine” says which platforms have none.',
  failed: 'The device’s Backup tab says why and what to do.',
  never: 'Check that the device is turned on and connected when backups are due.',
  missed: 'Check that the device is turned on and connected when backups are due.',
  partial: 'The page of the backup lists them.',
}

const backupReason =
  'You received this email because a backup policy on this Homeport appliance names your address. Its settings say who gets these emails.'

const backupsButton = (home: string, orgId: string) => ({
  label: 'View backups',
  url: `${home}/backup/overview?org=${orgId}`,
  note: 'You’ll need to be signed in.',
})

function factorButton(home: string) {
  return { label: 'Set up second factor', url: `${home}/auth/mfa/setup`, note: 'You’ll need to be signed in.' }
}

export const linkPaths: Record<LinkMailKind, string> = {
  'verify-registration': '/auth/verify-email',
  'verify-email-change': '/auth/verify-email',
  'verify-address': '/auth/verify-email',
  'password-reset': '/reset-password',
  'account-locked': '/reset-password',
  invitation: '/accept-invite',
  'invitation-existing': '/accept-invite',
}

export const unlockPath = '/unlock-account'
