import * as contract from '../../../shared/api/messaging.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { AuditEvent } from '../../platform/audit.ts'
import { AppError } from '../../platform/errors.ts'
import type { Http } from '../../platform/http/http.ts'
import type { Messaging } from './create-messaging.ts'

const ok = { success: true } as const

/** Refuses who is neither freshly signed in nor shows the password. */
type AssertOwner = (actor: UserActor, password: string | undefined) => Promise<void>

export function messagingRoutes(http: Http, messaging: Messaging, assertOwner: AssertOwner): void {
  const { mailAdmin, mailSettings, smsSettings, sms, limits, audit } = messaging

  http.user(contract.listMail, ({ query }) => mailAdmin.list(query))
  http.user(contract.retryMail, ({ actor, params }) => {
    mailAdmin.retry(actor, params.id)
    return ok
  })
  http.user(contract.discardMail, ({ actor, params }) => {
    mailAdmin.discard(actor, params.id)
    return ok
  })
  http.user(contract.sendTestMail, async ({ actor, body: { to, smtp, currentPassword } }) => {
    if (smtp) await assertOwner(actor, currentPassword)
    const transport = smtp ? mailSettings.candidate(smtp) : mailSettings.transport()
    return { ...ok, response: await mailAdmin.test(actor, to, transport, smtp && `${smtp.host}:${smtp.port}`) }
  })
  http.user(contract.readMailSettings, () => mailSettings.describe())
  http.user(contract.updateMailSettings, async ({ actor, body }) => {
    await assertOwner(actor, body.currentPassword)
    mailSettings.update(actor, body)
    return { ...ok, problem: await mailSettings.problem() }
  })

  http.user(contract.readSmsSettings, () => smsSettings.describe())
  http.user(contract.updateSmsSettings, async ({ actor, body }) => {
    await assertOwner(actor, body.currentPassword)
    smsSettings.update(actor, body)
    return ok
  })
  http.user(contract.sendTestSms, async ({ actor, body: { to, settings, currentPassword } }) => {
    if (settings) await assertOwner(actor, currentPassword)
    const provider = settings ? smsSettings.candidate(settings) : smsSettings.current()
    limits.consume('test_message', actor.userId)
    if (!provider) throw new AppError('sms_not_configured')
    const server = settings && (settings.provider === 'gateway' ? new URL(settings.url).host : settings.provider)
    const event: AuditEvent = {
      action: 'platform_admin.sms.test',
      resourceType: 'sms',
      details: { to, ...(server && { server }) },
    }
    await sms.send(to, 'This is a test message from Homeport.', provider).catch((error: Error) => {
      if (server) audit(actor, { ...event, result: 'failure' })
      // The administrator who sets up the provider sees its answer.
      const { message } = error.cause instanceof Error ? error.cause : error
      throw new AppError('sms_failed', { message }, { cause: error })
    })
    audit(actor, event)
    return ok
  })
}
