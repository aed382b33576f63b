/** What may happen to somebody's second factors. */
export type FactorNews =
  | 'authenticator-app-added'
  | 'authenticator-app-replaced'
  | 'text-message-added'
  | 'switched-to-app'
  | 'switched-to-text-messages'
  | 'phone-replaced'
  | 'passkey-added'
  | 'passkey-deleted'
  | 'recovery-codes-rotated'
  | 'mfa-disabled'
  | 'mfa-reset'

/** What is wrong with the backups of a device in the morning. */
export type BackupDigestProblem =
  | 'broken_profile'
  | 'no_config'
  | 'no_engine'
  | 'failed'
  | 'never'
  | 'missed'
  | 'partial'

/** The first names of some devices; how many there are is said beside it. */
export type DeviceNames = string[]

/**
 * Every mail the appliance sends and what it is made of. No link is kept in here: `linkId` names the record that the
 * link opens, and the link itself is made when the mail is sent.
 */
export interface MailData {
  'verify-registration': { name: string; companyName: string; linkId: string }
  'registration-attempted': { name: string }
  /** `isLast`: there were so many that the next ones are not mailed for a while. */
  'company-registered': {
    name: string
    companyName: string
    registrant: string
    registrantEmail: string
    ip: string
    at: string
    isLast: boolean
  }
  'verify-email-change': { name: string; newEmail: string; linkId: string }
  'verify-address': { name: string; linkId: string }
  'email-change-requested': { name: string; newEmail: string }
  'email-changed': { name: string; newEmail: string }
  'password-reset': { name: string; linkId: string }
  'password-changed': { name: string; at: string }
  /** `unlockId`: of the link that ends the lock, which else ends at `until`. */
  'account-locked': {
    name: string
    minutes: number
    until: string
    isKnownBrowser: boolean
    linkId: string
    unlockId: string
  }
  'factors-changed': { name: string; news: FactorNews; at: string }
  'mfa-window-opened': { name: string; deadline: string }
  'mfa-window-reminder': { name: string; deadline: string }
  /** `place`: the company or organization they become a member of. */
  invitation: { name: string; inviter: string; place: string; linkId: string }
  /** To somebody who has an account already: they accept by signing in. */
  'invitation-existing': { name: string; inviter: string; place: string; linkId: string }
  /** An archived organization is near the end of its retention. */
  'purge-warning': { name: string; orgId: string; orgName: string; purgeAt: string }
  /** Each morning, of the devices whose policies name the recipient; the worst problems first. */
  'backup-digest': {
    orgId: string
    orgName: string
    problems: { problem: BackupDigestProblem; count: number; devices: DeviceNames }[]
  }
  /** Devices missed two backups in a row; `mailingId` is of all mails of the same occasion. */
  'backup-missed': { orgId: string; orgName: string; mailingId: string; count: number; devices: DeviceNames }
  /** Of devices with a backup that could not be proven. */
  'backup-check-failed': { orgId: string; orgName: string; mailingId: string; count: number; devices: DeviceNames }
  /** Of devices whose newest backup looks like an attack. */
  'backup-unusual-change': { orgId: string; orgName: string; mailingId: string; count: number; devices: DeviceNames }
  /** Of an organization whose recovery sheet nobody has locked away. */
  'backup-recovery-sheet': { orgId: string; orgName: string }
  /** What `slaName` promises is not kept on these devices. */
  'backup-sla-breach': { orgId: string; orgName: string; slaName: string; count: number; devices: DeviceNames }
  /** The second copies of these devices have no new backups for longer than their reminder says. */
  'backup-copy-late': { orgId: string; orgName: string; mailingId: string; count: number; devices: DeviceNames }
  /** The second copies of these devices could not be made, or are damaged. */
  'backup-copy-failed': { orgId: string; orgName: string; mailingId: string; count: number; devices: DeviceNames }
  /** Never queued: the administrator waits for the answer. */
  test: { sender: string }
}

export type MailKind = keyof MailData

/** The record a link in a mail of this kind opens. */
export const linkKinds = {
  'verify-registration': 'pending_registration',
  'verify-email-change': 'email_verification',
  'verify-address': 'email_verification',
  'password-reset': 'password_reset',
  'account-locked': 'password_reset',
  invitation: 'invite',
  'invitation-existing': 'invite',
} as const satisfies Partial<Record<MailKind, string>>

export type LinkMailKind = keyof typeof linkKinds
export type LinkKind = (typeof linkKinds)[LinkMailKind]
/** Of a further link in a mail, which is sent whether or not that one still works. */
export type SideLinkKind = 'account_unlock'

export const isLinkMail = (kind: MailKind): kind is LinkMailKind => kind in linkKinds
