import { minute } from '../../platform/clock.ts'
import type { FactorNews, LinkMailKind, MailData, MailKind } from './mail-kinds.ts'
import type { MailContent } from './mail-layout.ts'

/** What the text of a mail may need besides its own data. */
export interface MailContext {
  /** Where the appliance is, without a slash at the end. */
  home: string
  /** The address its link opens; empty for kinds without one. */
  link: string
  /** The address of a further link; empty for kinds without one. */
  sideLink: string
  /** How long that link works from when it was asked for. */
  lifeMs: number
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

/** Rounded to minutes first: a link of seven days is stored with milliseconds more or less. A day alone is `24 hours`. */
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

const life = ({ lifeMs, expiresAt }: MailContext) =>
  `The link works once and for ${duration(lifeMs)} after it was requested, until ${at(expiresAt)}.`

const resetButton = (occasion: MailContext) => ({
  label: 'Choose a new password',
  url: occasion.link,
  note: life(occasion),
})

export const mailTexts: { [Kind in MailKind]: Write<Kind> } = {
  'verify-registration': ({ name, companyName }, occasion) => {
    const company = withoutLink(companyName)
    return {
      subject: 'Confirm your e-mail address',
      preheader: 'One click and your Homeport account is ready.',
      greeting: hello(withoutLink(name)),
      paragraphs: [
        `Confirm this address to create the Homeport account ${company ? `for ${company}` : 'of your company'}.`,
      ],
      button: { label: 'Confirm address', url: occasion.link, note: life(occasion) },
      warning: 'If you did not register, ignore this mail: without the link no account is created.',
      reason: 'You got this mail because somebody registered at this Homeport appliance with your address.',
    }
  },
  'registration-attempted': ({ name }) => ({
    subject: 'Somebody tried to register with your address',
    preheader: 'You already have an account; nothing was changed.',
    greeting: hello(name),
    paragraphs: [
      'Somebody tried to register a new Homeport account with your e-mail address. You already have one, so nothing was created and nothing has changed.',
      'If it was you, sign in as usual; a password that you forgot can be reset there.',
    ],
    warning: 'If it was not you, there is nothing to do: whoever it was did not learn that you have an account.',
    reason: 'You got this mail because you have an account at this Homeport appliance.',
    isWithoutLinks: true,
  }),
  'company-registered': ({ name, companyName, registrant, registrantEmail, ip, at: registeredAt, isLast }) => {
    // In quotes, because a stranger chose these words.
    const [company, person] = [withoutLink(companyName), withoutLink(registrant)].map((words) => words && `“${words}”`)
    return {
      subject: 'A company registered at your Homeport',
      preheader: 'It has an account on your appliance now.',
      greeting: hello(name),
      paragraphs: [
        `${company ?? 'A company'} registered at your Homeport appliance on ${at(registeredAt)}, from the network address ${ip}. Its first administrator is ${person ? `${person}, ${registrantEmail}` : registrantEmail}; that address is confirmed.`,
        'From now on it can add devices of its own. It sees nothing of other companies.',
        ...(isLast
          ? [
              'There were many of these lately, so the next ones are not mailed for up to a day. The audit log has every one.',
            ]
          : []),
      ],
      warning:
        'If companies are not to register by themselves, start the appliance with ENABLE_REGISTRATION=false. Those that are there stay.',
      reason: 'You got this mail because you are a platform administrator of this Homeport appliance.',
      isWithoutLinks: true,
    }
  },
  'verify-email-change': ({ name, newEmail }, occasion) => ({
    subject: 'Confirm your new e-mail address',
    preheader: 'Until you do, your account keeps its old address.',
    greeting: hello(withoutLink(name)),
    paragraphs: [
      `Confirm that ${newEmail} is yours, and your Homeport account will use it from then on. You will be signed out everywhere and sign in with the new address.`,
    ],
    button: { label: 'Confirm new address', url: occasion.link, note: life(occasion) },
    warning: 'If you did not ask for this, ignore this mail: without the link nothing changes.',
    reason: 'You got this mail because somebody entered your address as the new one of a Homeport account.',
  }),
  'verify-address': ({ name }, occasion) => ({
    subject: 'Confirm your e-mail address',
    preheader: 'Show that this address is yours.',
    greeting: hello(name),
    paragraphs: ['Confirm that this is the e-mail address of your Homeport account.'],
    button: { label: 'Confirm address', url: occasion.link, note: life(occasion) },
    warning: 'If you did not ask for this, ignore this mail.',
    reason: 'You got this mail because it was asked for in your Homeport account.',
  }),
  'email-change-requested': ({ name, newEmail }) => ({
    subject: 'A new e-mail address was requested for your account',
    preheader: 'Nothing changes until the new address is confirmed.',
    greeting: hello(name),
    paragraphs: [
      `Somebody who is signed in to your Homeport account asked to change its e-mail address to ${newEmail}. Nothing changes until that address is confirmed.`,
    ],
    warning:
      'If it was not you, somebody else is in your account: sign in, change your password at once and tell your administrator.',
    reason: 'You got this mail because this is the address of your Homeport account.',
    isWithoutLinks: true,
  }),
  'email-changed': ({ name, newEmail }) => ({
    subject: 'The e-mail address of your account was changed',
    preheader: 'You sign in with the new address from now on.',
    greeting: hello(name),
    paragraphs: [
      `Your Homeport account now has the e-mail address ${newEmail}. All sessions have ended; sign in with the new address.`,
    ],
    warning: 'If it was not you, tell your administrator at once.',
    reason: 'You got this mail because this was the address of your Homeport account until now.',
    isWithoutLinks: true,
  }),
  'password-reset': ({ name }, occasion) => ({
    subject: 'Choose a new password',
    preheader: 'The link for whoever forgot the password of their Homeport account.',
    greeting: hello(name),
    paragraphs: [
      'Somebody, probably you, told Homeport that you forgot your password. With this link you choose a new one; every device that is signed in to your account is signed out then.',
    ],
    button: resetButton(occasion),
    warning: 'If it was not you, ignore this mail: your password stays as it is, and nobody is signed out.',
    reason: 'You got this mail because this is the address of your Homeport account.',
  }),
  'password-changed': ({ name, at: changedAt }, { home }) => ({
    subject: 'Your password was changed',
    preheader: 'All sessions of your account have ended.',
    greeting: hello(name),
    paragraphs: [
      `The password of your Homeport account was changed on ${at(changedAt)}. All sessions have ended; sign in with the new one.`,
    ],
    warning: `If it was not you, reset your password at ${home}/forgot-password at once and tell your administrator.`,
    reason: 'You got this mail because this is the address of your Homeport account.',
  }),
  'account-locked': ({ name, minutes, until, isKnownBrowser }, occasion) => {
    const time = `locked for ${duration(minutes * minute)}, until ${at(until)}`
    const what = isKnownBrowser
      ? `, all of them in a browser in which you have signed in before. In that browser it is ${time}; until then the right password is refused there, too.`
      : `. It is ${time}; until then the right password is refused, too, except in browsers in which you have signed in before.`
    return {
      subject: 'Your account is locked for a while',
      preheader: 'Too many sign-ins with a wrong password.',
      greeting: hello(name),
      paragraphs: [
        `There were too many sign-ins to your Homeport account with a wrong password${what}`,
        'A new password unlocks it at once. If you know yours, unlock it without a new one.',
      ],
      button: resetButton(occasion),
      furtherButton: {
        label: 'Unlock the account',
        url: occasion.sideLink,
        note: `The link works once and until ${at(until)}. Open it in the browser in which you want to sign in.`,
      },
      warning:
        'If it was not you, somebody is guessing your password. They have not got in; a long password and a second factor keep it so.',
      reason: 'You got this mail because this is the address of your Homeport account.',
    }
  },
  'factors-changed': ({ name, news, at: changedAt }, { home }) => ({
    subject: 'The second factors of your account were changed',
    preheader: newsWords[news],
    greeting: hello(name),
    paragraphs: [`${newsWords[news]} It happened on ${at(changedAt)}.`],
    warning: `If you know nothing of it, reset your password at ${home}/forgot-password at once and tell your administrator.`,
    reason: 'You got this mail because this is the address of your Homeport account.',
  }),
  'mfa-window-opened': ({ name, deadline }, { home }) => ({
    subject: 'Set up a second factor for your account',
    preheader: `Your company asks for one from ${onDay(deadline)} on.`,
    greeting: hello(name),
    paragraphs: [
      'Your company asks everybody to sign in with a second factor: a passkey, an authenticator app or what else it allows.',
      `You have until ${at(deadline)}. After that, Homeport lets you do nothing else before it is set up.`,
    ],
    button: factorButton(home),
    reason: 'You got this mail because your Homeport account has no second factor yet.',
  }),
  'mfa-window-reminder': ({ name, deadline }, { home }) => ({
    subject: 'Your account still needs a second factor',
    preheader: `Set it up before ${onDay(deadline)}.`,
    greeting: hello(name),
    paragraphs: [
      `Your company asks for a second factor and your account still has none. From ${at(deadline)} on, Homeport lets you do nothing else before it is set up. It takes two minutes.`,
    ],
    button: factorButton(home),
    reason: 'You got this mail because your Homeport account has no second factor yet.',
  }),
  // In quotes, because somebody the reader may not know chose these words.
  invitation: ({ name, inviter, place }, occasion) => {
    const [person, team] = [withoutLink(inviter), withoutLink(place)].map((words) => words && `“${words}”`)
    return {
      subject: 'You are invited to Homeport',
      preheader: 'Open the link and your account is ready.',
      greeting: hello(withoutLink(name)),
      paragraphs: [
        `${person ?? 'An administrator'} invites you to ${team ? `work with ${team}` : 'join them'} in Homeport, where the computers of an organization are looked after.`,
        'The link says how you sign in from now on, and lets you in.',
      ],
      button: { label: 'Accept invitation', url: occasion.link, note: life(occasion) },
      warning: 'If you expected no invitation, ignore this mail: nobody can use your address without the link.',
      reason: 'You got this mail because an administrator of this Homeport appliance entered your address.',
    }
  },
  'invitation-existing': ({ name, inviter, place }, occasion) => {
    const [person, team] = [withoutLink(inviter), withoutLink(place)].map((words) => words && `“${words}”`)
    return {
      subject: 'You are invited to work with another team in Homeport',
      preheader: 'Sign in with the account you have and accept.',
      greeting: hello(withoutLink(name)),
      paragraphs: [
        `${person ?? 'An administrator'} invites your Homeport account to ${team ? `work with ${team}` : 'work with them'}. Sign in as you always do and accept; the invitation is on your profile, too.`,
        'Nothing about your account changes before you accept, and they see nothing of it.',
      ],
      button: { label: 'Look at the invitation', url: occasion.link, note: life(occasion) },
      warning: 'If you do not know them, decline it or ignore this mail.',
      reason: 'You got this mail because this is the address of your Homeport account.',
    }
  },
  'purge-warning': ({ name, orgName, purgeAt }, { home }) => ({
    subject: `Archived organization will be deleted: ${orgName}`,
    preheader: `On ${onDay(purgeAt)}, unless somebody restores it before.`,
    greeting: hello(name),
    paragraphs: [
      `The organization ${orgName} is archived and will be deleted on ${at(purgeAt)}, with its sites, devices, contacts and its audit log. Nobody can bring it back after that.`,
      'To keep it, restore it before. If it is to go, there is nothing to do.',
    ],
    button: {
      label: 'Look at the organizations',
      url: `${home}/organizations`,
      note: 'Archived ones are at the end of the list.',
    },
    reason: 'You got this mail because you are an administrator of your company in Homeport.',
  }),
  test: ({ sender }) => ({
    subject: 'Mail from Homeport works',
    preheader: 'This is the test mail you asked for.',
    greeting: hello(null),
    paragraphs: ['This is a test. If you can read it, mail leaves the appliance and arrives.'],
    reason: `You got this mail because ${sender} sent a test from the settings of this Homeport appliance.`,
  }),
}

const newsWords: Record<FactorNews, string> = {
  'authenticator-app-added': 'An authenticator app was added to your Homeport account.',
  'authenticator-app-replaced':
    'The authenticator app of your Homeport account was replaced; the codes of the old one stopped working.',
  'text-message-added': 'Codes by text message were turned on for your Homeport account.',
  'switched-to-app':
    'An authenticator app took the place of text messages as the second factor of your Homeport account.',
  'switched-to-text-messages':
    'Text messages took the place of the authenticator app as the second factor of your Homeport account.',
  'phone-replaced': 'Codes for your Homeport account go to another phone number from now on.',
  'passkey-added': 'A passkey was added to your Homeport account.',
  'passkey-deleted': 'A passkey was removed from your Homeport account.',
  'recovery-codes-rotated': 'New recovery codes were made for your Homeport account; the old ones stopped working.',
  'mfa-disabled': 'The second factor of your Homeport account was turned off.',
  'mfa-reset': 'An administrator removed every second factor of your Homeport account.',
}

function factorButton(home: string) {
  return { label: 'Set up a second factor', url: `${home}/auth/mfa/setup`, note: 'You need to be signed in for it.' }
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
