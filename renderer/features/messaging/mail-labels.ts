import type { Mail, MailStatus } from '../../../shared/api/messaging.ts'
import type { Tone } from '../../ui/status-dot.tsx'

/** The subjects of the mails, as their readers know them. */
const subjects: Record<string, string> = {
  'verify-registration': 'Confirm your email address',
  'registration-attempted': 'Someone tried to register with your address',
  'company-registered': 'A company registered on your appliance',
  'verify-email-change': 'Confirm your new email address',
  'verify-address': 'Confirm your email address',
  'email-change-requested': 'A new email address was requested for your account',
  'email-changed': 'Your email address was changed',
  'password-reset': 'Reset your password',
  'password-changed': 'Your password was changed',
  'account-locked': 'Your account is locked',
  'factors-changed': 'Your second factors were changed',
  'mfa-window-opened': 'Set up two-factor authentication',
  'mfa-window-reminder': 'Your account still needs a second factor',
  invitation: 'You’re invited to Homeport',
  'invitation-existing': 'You’ve been given access in Homeport',
  'purge-warning': 'Archived organization will be deleted',
  'backup-digest': 'Backups that need attention',
  'backup-unusual-change': 'Unusual change in backups',
  'backup-recovery-sheet': 'Recovery sheet not locked away',
  'backup-sla-breach': 'Backup SLA not met',
  'backup-copy-late': 'A second copy of backups is late',
  'backup-copy-failed': 'A second copy of backups failed',
  'backup-check-failed': 'A check of backups failed',
  'backup-missed': 'Two backups in a row were missed',
}

/** The subject of a mail; an unknown kind, for example of a newer appliance, shows its name. */
export const mailSubject = (kind: string): string => subjects[kind] ?? kind

/** Mail that was written to a file was not sent. */
export const mailStatusOf = ({ status, file }: Pick<Mail, 'status' | 'file'>) =>
  file === null ? mailStatusNames[status] : { word: 'Written to file', tone: mailStatusNames[status].tone }

export const mailStatusNames: Record<MailStatus, { word: string; tone: Tone }> = {
  queued: { word: 'Waiting', tone: 'busy' },
  sent: { word: 'Sent', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  expired: { word: 'Expired', tone: 'idle' },
}
