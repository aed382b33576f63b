import type { MailStatus } from '../../../shared/api/messaging.ts'
import type { Tone } from '../../ui/status-dot.tsx'

const kinds: Record<string, string> = {
  'verify-registration': 'Confirm a registration',
  'registration-attempted': 'Somebody tried to register',
  'company-registered': 'A company registered',
  'verify-email-change': 'Confirm a new address',
  'verify-address': 'Confirm an address',
  'email-change-requested': 'A new address was asked for',
  'email-changed': 'The address was changed',
  'password-reset': 'Set a new password',
  'password-changed': 'The password was changed',
  'account-locked': 'The account is locked',
  'factors-changed': 'Second factors were changed',
  'mfa-window-opened': 'A second factor is asked for',
  'mfa-window-reminder': 'Reminder of the second factor',
}

/** What a mail is about; a kind that a newer appliance knows shows its own name. */
export const kindWords = (kind: string): string => kinds[kind] ?? kind

export const statusWords: Record<MailStatus, { word: string; tone: Tone }> = {
  queued: { word: 'Waiting', tone: 'busy' },
  sent: { word: 'Sent', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  expired: { word: 'Too late', tone: 'idle' },
}
