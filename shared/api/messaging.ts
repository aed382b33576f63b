import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { emailAddress, instant, ok, pathId, phoneNumber } from '../fields.ts'
import { paged, pageQuery } from '../paging.ts'
import { factorProof } from './mfa.ts'

/** Mail and text messages of the appliance; for its administrator. */
const administrator = userAccess(undefined, { platformAdmin: true })
const guarded = userAccess(undefined, { platformAdmin: true, mfa: 'session' })
/**
 * Who decides where mail and codes go can read every link that opens an account: a session that is not fresh needs the
 * password, so that a stolen access token is not enough.
 */
const { currentPassword } = factorProof

export const mailStatus = z.enum(['queued', 'sent', 'failed', 'expired'])
export type MailStatus = z.infer<typeof mailStatus>

export const mail = z.object({
  id: z.uuid(),
  /** Which template, such as `password-reset`. */
  kind: z.string(),
  to: z.string(),
  status: mailStatus,
  attempts: z.int(),
  /** What the mail server said to the last attempt. */
  lastError: z.string().nullable(),
  nextAttemptAt: instant.nullable(),
  createdAt: instant,
  /** When it was handed to the mail server, or written to `file`. */
  sentAt: instant.nullable(),
  /** Where it was written instead of being sent. */
  file: z.string().nullable(),
})
export type Mail = z.infer<typeof mail>

export const listMail = endpoint({
  name: 'mail.list',
  method: 'GET',
  path: '/system/mail',
  summary: 'Recent outgoing mail, newest first, without its content',
  access: administrator,
  query: z.object({ ...pageQuery, status: mailStatus.optional().catch(undefined) }),
  reply: paged(mail).extend({ queued: z.int(), failed: z.int() }),
})

export const retryMail = endpoint({
  name: 'mail.retry',
  method: 'POST',
  path: '/system/mail/:id/retry',
  summary: 'Try a queued or failed mail again now',
  access: administrator,
  params: z.object({ id: pathId }),
  reply: ok,
  audit: 'platform_admin.mail.retry',
})

export const discardMail = endpoint({
  name: 'mail.discard',
  method: 'DELETE',
  path: '/system/mail/:id',
  summary: 'Give up on a queued or failed mail',
  access: administrator,
  params: z.object({ id: pathId }),
  reply: ok,
  audit: 'platform_admin.mail.discard',
})

const source = z.enum(['environment', 'stored', 'none'])
const hostName = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .regex(/^[A-Za-z0-9.:_-]+$/, 'Must be a host name or an address')
/** `Homeport <homeport@example.com>` or a bare address. */
export const mailSender = z
  .string()
  .trim()
  .min(3)
  .max(320)
  .regex(
    /^([^\p{Cc}<>]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u,
    'Must be an email address, with or without a name',
  )

const smtp = {
  host: hostName,
  port: z.int().min(1).max(65_535).default(587),
  /** TLS from the first byte; otherwise STARTTLS where the server offers it, and always when there is a password. */
  secure: z.boolean().default(false),
  /** Off only for mail servers in the house whose certificate nobody can check. */
  verifyCertificate: z.boolean().default(true),
  user: z.string().trim().max(255).nullable().default(null),
  from: mailSender,
}
/**
 * A password that is left out is the stored one, unless host, port or user are others, or the certificate is checked no
 * more: it goes to no other server.
 */
const smtpSettings = z.object({ ...smtp, password: z.string().max(1024).nullable().optional() })

export const readMailSettings = endpoint({
  name: 'mail.settings',
  method: 'GET',
  path: '/system/mail/settings',
  summary: 'Whether and how mail leaves the appliance',
  access: administrator,
  reply: z.object({
    source,
    provider: z.enum(['smtp', 'file']).nullable(),
    /** Where mail is written instead of being sent. */
    folder: z.string().nullable(),
    smtp: z
      .object({
        host: z.string(),
        port: z.int(),
        secure: z.boolean(),
        verifyCertificate: z.boolean(),
        user: z.string().nullable(),
        hasPassword: z.boolean(),
        from: z.string(),
      })
      .nullable(),
  }),
})

export const updateMailSettings = endpoint({
  name: 'mail.update-settings',
  method: 'PUT',
  path: '/system/mail/settings',
  summary: 'Set or remove the mail server; waiting mail is sent immediately',
  access: guarded,
  body: z.object({ smtp: smtpSettings.nullable(), currentPassword }),
  /** `problem`: what the new mail server said when it would not have us, or why it said nothing. */
  reply: ok.extend({ problem: z.string().nullable() }),
  audit: 'platform_admin.mail.settings',
})

/** Sent at once and not queued, so that the answer is the mail server's. */
export const sendTestMail = endpoint({
  name: 'mail.test',
  method: 'POST',
  path: '/system/mail/test',
  summary: 'Send a test mail now, with the settings in force or with others, and tell what the mail server answered',
  access: guarded,
  body: z.object({ to: emailAddress, smtp: smtpSettings.optional(), currentPassword }),
  reply: ok.extend({ response: z.string() }),
  audit: 'platform_admin.mail.test',
})

const headerName = z
  .string()
  .trim()
  .max(100)
  .regex(/^[A-Za-z0-9-]+$/, 'Must be the name of a header')
const headerValue = z
  .string()
  .max(2000)
  .regex(/^[\t\x20-\x7e]*$/, 'Must be plain ASCII on one line')
const gatewayUrl = z.url({ protocol: /^https$/, error: 'Must be an https address' }).max(2000)

/** Secrets that are left out are the stored ones, unless the account or the server is another one. */
const twilio = {
  provider: z.literal('twilio'),
  accountSid: z
    .string()
    .trim()
    .regex(/^AC[0-9a-fA-F]{32}$/, 'Must look like AC and 32 hex digits'),
  /** A number of the account, or the id of a messaging service (`MG…`). */
  from: z.string().trim().min(2).max(64),
  authToken: z.string().min(1).max(255).optional(),
}
const gateway = {
  provider: z.literal('gateway'),
  url: gatewayUrl,
  format: z.enum(['json', 'form']),
  /** Such as `{"to": "{{to}}", "body": "{{text}}"}`, or `to={{to}}&body={{text}}`. */
  template: z.string().min(1).max(5000),
  headerName: headerName.nullable().default(null),
  headerValue: headerValue.nullable().optional(),
}

export const readSmsSettings = endpoint({
  name: 'sms.settings',
  method: 'GET',
  path: '/system/sms/settings',
  summary: 'How text messages leave the appliance',
  access: administrator,
  reply: z.object({
    source,
    provider: z.enum(['twilio', 'gateway']).nullable(),
    twilio: z.object({ accountSid: z.string(), from: z.string(), hasAuthToken: z.boolean() }).nullable(),
    gateway: z
      .object({
        url: z.string(),
        format: z.enum(['json', 'form']),
        template: z.string(),
        headerName: z.string().nullable(),
        hasHeaderValue: z.boolean(),
      })
      .nullable(),
  }),
})

export const updateSmsSettings = endpoint({
  name: 'sms.update-settings',
  method: 'PUT',
  path: '/system/sms/settings',
  summary: 'Set or remove the provider of text messages',
  access: guarded,
  body: z.discriminatedUnion('provider', [
    z.object({ provider: z.literal('none'), currentPassword }),
    z.object({ ...twilio, currentPassword }),
    z.object({ ...gateway, currentPassword }),
  ]),
  reply: ok,
  audit: 'platform_admin.sms.settings',
})

export const sendTestSms = endpoint({
  name: 'sms.test',
  method: 'POST',
  path: '/system/sms/test',
  summary: 'Send a test message now, with the settings in force or with others, and tell what the provider answered',
  access: guarded,
  body: z.object({
    to: phoneNumber,
    settings: z.discriminatedUnion('provider', [z.object(twilio), z.object(gateway)]).optional(),
    currentPassword,
  }),
  reply: ok,
  audit: 'platform_admin.sms.test',
})
