import type { MailStatus } from '../../../shared/api/messaging.ts'
import type { Tone } from '../../ui/status-dot.tsx'

/** The subjects of the mails, as their readers know them. */
const subjects: Record<string, string> = {
  'verify-registration': 'Confirm your e-mail address',
  'registration-attempted': 'Somebody tried to register with your address',
  'company-registered': 'A company registered at your Homeport',
  'verify-email-change': 'Confirm your new e-mail address',
  'verify-address': 'Confirm your e-mail address',
  'email-change-requested': 'A new e-mail address was requested for your account',
  'email-changed': 'The e-mail address of your account was changed',
  'password-reset': 'Choose a new password',
  'password-changed': 'Your password was changed',
  'account-locked': 'Your account is locked for a while',
  'factors-changed': 'The second factors of your account were changed',
  'mfa-window-opened': 'Set up a second factor for your account',
  'mfa-window-reminder': 'Your account still needs a second factor',
  invitation: 'You are invited to Homeport',
  'invitation-existing': 'You are invited to work with another team in Homeport',
  'purge-warning': 'Archived organization will be deleted',
}

/** The subject of a mail; an unknown kind, for example of a newer appliance, shows its name. */
export const mailSubject = (kind: string): string => subjects[kind] ?? kind

export const mailStatusNames: Record<MailStatus, { word: string; tone: Tone }> = {
  queued: { word: 'Waiting', tone: 'busy' },
  sent: { word: 'Sent', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  expired: { word: 'Too late', tone: 'idle' },
}
