export const messagingActions = {
  'platform_admin.mail.settings': 'Changed the mail server',
  'platform_admin.mail.test': 'Sent a test mail',
  'platform_admin.mail.retry': 'Sent a mail again',
  'platform_admin.mail.discard': 'Discarded a mail',
  'platform_admin.sms.settings': 'Changed the sending of text messages',
  'platform_admin.sms.test': 'Sent a test text message',
} as const
