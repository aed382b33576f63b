export const messagingActions = {
  'platform_admin.mail.settings': 'Changed the mail server',
  'platform_admin.mail.test': 'Tested outgoing email',
  'platform_admin.mail.retry': 'Retried an email',
  'platform_admin.mail.discard': 'Discarded an email',
  'platform_admin.sms.settings': 'Changed the text message provider',
  'platform_admin.sms.test': 'Tested outgoing text messages',
} as const
