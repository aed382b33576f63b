export { linkKinds, type MailData, type MailKind } from './mail-kinds.ts'
export { Mailer } from './mailer.ts'
export type { Sms } from './sms.ts'
