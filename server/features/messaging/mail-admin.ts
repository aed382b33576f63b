import { randomUUIDv7 } from 'node:crypto'
import { type listMail, type Mail, type MailStatus, mailStatus } from '../../../shared/api/messaging.ts'
import type { AuditAction } from '../../../shared/audit-actions/index.ts'
import type { QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit, AuditEvent } from '../../platform/audit.ts'
import { type Clock, isoNow, minute } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import type { Task, TaskState, Tasks } from '../../platform/tasks/index.ts'
import type { MailInput, MailQueue, MailResult } from './mail-queue.ts'
import type { MailTransport } from './mail-transport.ts'
import type { MailWriter } from './mail-writer.ts'

interface MailAdminServices {
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
  writer: MailWriter
  tasks: Tasks
  queue: MailQueue
}

type QueuedMail = Task<MailInput, unknown, MailResult>

/** What the administrator sees of the mail and does with it. */
export class MailAdmin {
  readonly #services: MailAdminServices

  constructor(services: MailAdminServices) {
    this.#services = services
  }

  list({ page, limit, status }: QueryOf<typeof listMail>): ReplyOf<typeof listMail> {
    const { queue } = this.#services
    const counts = queue.counts()
    const count = (wanted: MailStatus) => statesOf[wanted].reduce((sum, state) => sum + counts[state], 0)
    const statuses = status ? [status] : mailStatus.options
    const states = statuses.flatMap((one) => statesOf[one])
    return {
      data: queue.list(states, limit, (page - 1) * limit).map(mailView),
      pagination: { page, limit, total: statuses.reduce((sum, one) => sum + count(one), 0) },
      queued: count('queued'),
      failed: count('failed'),
    }
  }

  /** With all its attempts before it again. */
  retry(actor: UserActor, id: string): void {
    const { db, tasks } = this.#services
    db.transaction(() => {
      const mail = this.#findUnsent(id)
      tasks.retry(id)
      this.#record(actor, 'platform_admin.mail.retry', mail)
    })
  }

  discard(actor: UserActor, id: string): void {
    const { db, tasks } = this.#services
    db.transaction(() => {
      const mail = this.#findUnsent(id)
      tasks.remove(id)
      this.#record(actor, 'platform_admin.mail.discard', mail)
    })
  }

  /**
   * Past the queue, because somebody waits for the answer; resolves with the words of the mail server. `server` is told
   * when it is not the one in force: trying servers leaves a trace, whether they answer or not.
   */
  async test(actor: UserActor, to: string, transport: MailTransport | null, server?: string): Promise<string> {
    const { clock, audit, limits, writer } = this.#services
    limits.consume('test_message', actor.userId)
    if (!transport) throw new AppError('mail_not_configured')
    const kind = 'test' as const
    const createdAt = isoNow(clock)
    const written = writer.write({ kind, data: { sender: actor.email }, createdAt, expiresAt: null })
    const mail = { id: randomUUIDv7(), kind, to, createdAt, ...written }
    const event: AuditEvent = {
      action: 'platform_admin.mail.test',
      resourceType: 'mail',
      details: { to, ...(server && { server }) },
    }
    const { response } = await transport.send(mail, AbortSignal.timeout(minute / 2)).catch((cause: Error) => {
      if (server) audit(actor, { ...event, result: 'failure' })
      throw new AppError('mail_failed', { message: cause.message }, { cause })
    })
    audit(actor, event)
    return response
  }

  #findUnsent(id: string): QueuedMail {
    const mail = this.#services.queue.find(id)
    if (!mail || !unsent.includes(mail.state)) throw new AppError('mail_not_found')
    return mail
  }

  #record(actor: UserActor, action: AuditAction, { id, input: { kind, to } }: QueuedMail): void {
    this.#services.audit(actor, { action, resourceType: 'mail', resourceId: id, details: { kind, to } })
  }
}

const statesOf: Record<MailStatus, TaskState[]> = {
  queued: ['waiting', 'active'],
  sent: ['completed'],
  failed: ['failed'],
  expired: ['cancelled', 'expired'],
}
const unsent = [...statesOf.queued, ...statesOf.failed]

const statusOf = (state: TaskState): MailStatus =>
  mailStatus.options.find((status) => statesOf[status].includes(state)) ?? 'expired'

const mailView = (mail: QueuedMail): Mail => ({
  id: mail.id,
  kind: mail.input.kind,
  to: mail.input.to,
  status: statusOf(mail.state),
  attempts: mail.attempts,
  lastError: mail.error,
  nextAttemptAt: mail.dueAt,
  createdAt: mail.createdAt,
  sentAt: mail.state === 'completed' ? mail.finishedAt : null,
  file: mail.result?.file ?? null,
})
