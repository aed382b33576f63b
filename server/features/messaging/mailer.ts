import { randomUUIDv7 } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Clock, iso, isoNow } from '../../platform/clock.ts'
import type { LinkMailKind, MailData, MailKind } from './mail-kinds.ts'

const newsLifeSeconds = 7 * 24 * 3600

/**
 * `lifeSeconds`: how long its link works, as the mail says; once they have passed, it is not sent any more. What has no
 * link is news for a week.
 */
export type Envelope<Kind extends MailKind> = {
  kind: Kind
  to: string
  data: MailData[Kind]
} & (Kind extends LinkMailKind ? { lifeSeconds: number } : { lifeSeconds?: number })

/** Puts mail into the queue; part of the transaction under way, so what is undone is not mailed. */
export class Mailer {
  readonly #db: Database
  readonly #clock: Clock
  readonly #wake: () => void

  /** `wake` runs after the commit. */
  constructor(db: Database, clock: Clock, wake: () => void) {
    this.#db = db
    this.#clock = clock
    this.#wake = wake
  }

  send<Kind extends MailKind>({ kind, to, data, lifeSeconds = newsLifeSeconds }: Envelope<Kind>): void {
    const now = isoNow(this.#clock)
    this.#db.run(
      q.insertInto('mail_messages').values({
        id: randomUUIDv7(),
        kind,
        recipient: to,
        data: JSON.stringify(data),
        next_attempt_at: now,
        expires_at: iso(this.#clock.now() + lifeSeconds * 1000),
        created_at: now,
      }),
    )
    this.#db.afterCommit(this.#wake)
  }

  /** What has not left yet and says something that is no longer so; part of the transaction under way. */
  withdraw<Kind extends MailKind>(kind: Kind, about: keyof MailData[Kind] & string, value: string): void {
    this.#db.run(
      q
        .deleteFrom('mail_messages')
        .where('status', 'in', ['queued', 'failed'])
        .where('kind', '=', kind)
        .where(sql<boolean>`data ->> ${about} = ${value}`),
    )
  }
}
