import { randomUUIDv7 } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { listMail, Mail } from '../../../shared/api/messaging.ts'
import type { QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow, minute } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import type { MailTransport } from './mail-transport.ts'
import type { MailWriter } from './mail-writer.ts'
import type { MailMessageTable } from './tables.ts'

interface Deps {
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
  writer: MailWriter
  /** After a commit: something may be due. */
  wake: () => void
}

/** What the administrator sees of the mail and does with it. */
export class MailDesk {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  list({ page, limit, status }: QueryOf<typeof listMail>): ReplyOf<typeof listMail> {
    const { db } = this.#deps
    const perStatus = db.all(
      q
        .selectFrom('mail_messages')
        .select((select) => ['status', select.fn.countAll<number>().as('count')])
        .groupBy('status'),
    )
    const count = (wanted: typeof status) =>
      perStatus.reduce((sum, row) => sum + (wanted === undefined || row.status === wanted ? row.count : 0), 0)
    let mails = q.selectFrom('mail_messages').selectAll()
    if (status) mails = mails.where('status', '=', status)
    const rows = db.all(
      mails
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .offset((page - 1) * limit),
    )
    return {
      data: rows.map(mailView),
      pagination: { page, limit, total: count(status) },
      queued: count('queued'),
      failed: count('failed'),
    }
  }

  /** With all its attempts before it again. */
  retry(actor: UserActor, id: string): void {
    const { db, clock, wake } = this.#deps
    db.transaction(() => {
      const mail = this.#findUnsent(id)
      db.run(
        q
          .updateTable('mail_messages')
          .set({ status: 'queued', attempts: 0, next_attempt_at: isoNow(clock) })
          .where('id', '=', id),
      )
      this.#record(actor, 'platform_admin.mail.retry', mail)
      db.afterCommit(wake)
    })
  }

  discard(actor: UserActor, id: string): void {
    const { db } = this.#deps
    db.transaction(() => {
      const mail = this.#findUnsent(id)
      db.run(q.deleteFrom('mail_messages').where('id', '=', id))
      this.#record(actor, 'platform_admin.mail.discard', mail)
    })
  }

  /**
   * Past the queue, because somebody waits for the answer; resolves with the words of the mail server. `server` is told
   * when it is not the one in force: whoever tries servers leaves a trace, whether they answer or not.
   */
  async test(actor: UserActor, to: string, transport: MailTransport | null, server?: string): Promise<string> {
    const { clock, audit, limits, writer } = this.#deps
    limits.consume('test_message', actor.userId)
    if (!transport) throw new AppError('mail_not_configured')
    const kind = 'test' as const
    const createdAt = isoNow(clock)
    const written = writer.write({ kind, data: { sender: actor.email }, createdAt, expiresAt: null })
    const mail = { id: randomUUIDv7(), kind, to, createdAt, ...written }
    const event = {
      action: 'platform_admin.mail.test',
      resourceType: 'mail',
      details: { to, ...(server && { server }) },
    }
    const response = await transport.send(mail, AbortSignal.timeout(minute / 2)).catch((cause: Error) => {
      if (server) audit(actor, { ...event, result: 'failure' })
      throw new AppError('mail_failed', { message: cause.message }, { cause })
    })
    audit(actor, event)
    return response
  }

  #findUnsent(id: string): Selectable<MailMessageTable> {
    const mail = this.#deps.db.first(
      q.selectFrom('mail_messages').selectAll().where('id', '=', id).where('status', 'in', ['queued', 'failed']),
    )
    if (!mail) throw new AppError('mail_not_found')
    return mail
  }

  #record(actor: UserActor, action: string, { id, kind, recipient }: Selectable<MailMessageTable>): void {
    this.#deps.audit(actor, { action, resourceType: 'mail', resourceId: id, details: { kind, to: recipient } })
  }
}

const mailView = (row: Selectable<MailMessageTable>): Mail => ({
  id: row.id,
  kind: row.kind,
  to: row.recipient,
  status: row.status,
  attempts: row.attempts,
  lastError: row.last_error,
  nextAttemptAt: row.next_attempt_at,
  createdAt: row.created_at,
  sentAt: row.sent_at,
})
