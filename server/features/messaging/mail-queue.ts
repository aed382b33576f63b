import type { Selectable } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Clock, day, iso, isoNow, minute, second } from '../../platform/clock.ts'
import { DueWork, retryPauseMs } from '../../platform/due-work.ts'
import type { Log } from '../../platform/log.ts'
import { isLinkMail, type LinkKind, linkKinds, type MailData, type MailKind } from './mail-kinds.ts'
import { MailRefusal, type MailTransport } from './mail-transport.ts'
import type { MailWriter } from './mail-writer.ts'
import type { MailMessageTable } from './tables.ts'

type Row = Selectable<MailMessageTable>

/** Whether a link would still lead somewhere: it was not used, replaced or withdrawn. */
export type IsLinkLive = (kind: LinkKind, linkId: string) => boolean

const atOnce = 5
/** With the growing pauses between them, about a day. */
const maxAttempts = 34
/** For one attempt, however slowly the server says something. */
const attemptLimitMs = minute
/** For what is on its way when the appliance stops. */
const farewellMs = 3 * second
const memoryMs = 30 * day

interface Deps {
  db: Database
  clock: Clock
  log: Log
  writer: MailWriter
  /** The present way out; null while none is set up. The same object until the settings change. */
  transport: () => MailTransport | null
  isLinkLive: IsLinkLive
}

/** Takes mail from the queue to the mail server: again after a failure, and after a crash: at least once. */
export class MailQueue {
  readonly #deps: Deps
  readonly #work: DueWork
  readonly #sending = new Map<string, Promise<void>>()
  #halt = new AbortController()

  constructor(deps: Deps) {
    this.#deps = deps
    this.#work = new DueWork(
      deps.clock,
      deps.log,
      () => this.#sendDue(),
      () => this.#nextDueAt(),
    )
  }

  start(): void {
    this.#halt = new AbortController()
    this.#work.start()
  }

  async stop(): Promise<void> {
    await this.#work.stop()
    const farewell = setTimeout(() => this.#halt.abort(), farewellMs)
    await Promise.all(this.#sending.values())
    clearTimeout(farewell)
  }

  readonly wake = (): void => this.#work.wake()

  /** All that waits is tried again at once, such as after the settings have changed; inside their transaction. */
  retryAll(): void {
    const { db, clock } = this.#deps
    db.run(
      q
        .updateTable('mail_messages')
        .set({ next_attempt_at: isoNow(clock) })
        .where('status', '=', 'queued'),
    )
    db.afterCommit(this.wake)
  }

  /** Gives up on mail whose link has died and forgets what left long ago; a job calls it. */
  prune(): void {
    const { db, clock } = this.#deps
    this.#expire()
    for (const row of db.all(this.#waiting().selectAll())) this.#dropIfDead(row)
    db.run(
      q
        .deleteFrom('mail_messages')
        .where('status', 'in', ['sent', 'expired'])
        .where('created_at', '<', iso(clock.now() - memoryMs)),
    )
  }

  #sendDue(): void {
    this.#expire()
    const transport = this.#deps.transport()
    if (!transport) return
    const due = this.#waiting()
      .selectAll()
      .where('next_attempt_at', '<=', isoNow(this.#deps.clock))
      .limit(Math.max(0, atOnce - this.#sending.size))
    for (const row of this.#deps.db.all(due)) if (!this.#dropIfDead(row)) this.#begin(row, transport)
  }

  /** The end of one makes room for the next, so a full house sets no alarm. */
  #nextDueAt(): string | null {
    if (this.#sending.size >= atOnce || !this.#deps.transport()) return null
    return this.#deps.db.first(this.#waiting().select('next_attempt_at').limit(1))?.next_attempt_at ?? null
  }

  #waiting() {
    const waiting = q.selectFrom('mail_messages').where('status', '=', 'queued').orderBy('next_attempt_at')
    const sending = [...this.#sending.keys()]
    return sending.length === 0 ? waiting : waiting.where('id', 'not in', sending)
  }

  #expire(): void {
    this.#deps.db.run(
      q
        .updateTable('mail_messages')
        .set({ status: 'expired', next_attempt_at: null })
        .where('status', '=', 'queued')
        .where('expires_at', '<=', isoNow(this.#deps.clock)),
    )
  }

  /** A newer mail may have taken its place, or its reader may have come without it. */
  #dropIfDead({ id, data, ...row }: Row): boolean {
    const kind = row.kind as MailKind
    if (!isLinkMail(kind)) return false
    const { linkId } = JSON.parse(data) as MailData[typeof kind]
    const isDead = !this.#deps.isLinkLive(linkKinds[kind], linkId)
    if (isDead) this.#note(id, { status: 'expired', next_attempt_at: null })
    return isDead
  }

  /** The attempt is noted before it is made: should noting fail, nobody gets the same mail again and again. */
  #begin(row: Row, transport: MailTransport): void {
    const attempts = row.attempts + 1
    this.#note(row.id, { attempts, next_attempt_at: this.#afterPause(attempts) })
    const sending = this.#send({ ...row, attempts }, transport)
      .catch((error: unknown) =>
        this.#deps.log.error({ err: error, mail: row.id }, 'What became of a mail is not noted'),
      )
      .finally(() => {
        this.#sending.delete(row.id)
        this.wake()
      })
    this.#sending.set(row.id, sending)
  }

  async #send(row: Row, transport: MailTransport): Promise<void> {
    const { id, recipient: to, created_at: createdAt, expires_at: expiresAt } = row
    const kind = row.kind as MailKind
    const signal = AbortSignal.any([this.#halt.signal, AbortSignal.timeout(attemptLimitMs)])
    try {
      const data = JSON.parse(row.data) as MailData[MailKind]
      const mail = this.#deps.writer.write({ kind, data, createdAt, expiresAt })
      await transport.send({ id, kind, to, createdAt, ...mail }, signal)
    } catch (error) {
      this.#noteFailure(row, error, transport)
      return
    }
    this.#note(id, { status: 'sent', sent_at: isoNow(this.#deps.clock), next_attempt_at: null, last_error: null })
  }

  #noteFailure({ id, kind, attempts }: Row, error: unknown, transport: MailTransport): void {
    // Interrupted, or tried over a way that is no more: that says nothing about the mail.
    if (this.#halt.signal.aborted || transport !== this.#deps.transport()) return
    const last_error = withoutTokens(error instanceof Error ? error.message : String(error)).slice(0, 500)
    const isLast = attempts >= maxAttempts || (error instanceof MailRefusal && error.isFinal)
    this.#deps.log.warn({ mail: id, kind, attempts, reason: last_error, isLast }, 'A mail could not be sent')
    this.#note(
      id,
      isLast
        ? { status: 'failed', next_attempt_at: null, last_error }
        : { next_attempt_at: this.#afterPause(attempts), last_error },
    )
  }

  #afterPause(attempts: number): string {
    return iso(this.#deps.clock.now() + retryPauseMs(attempts))
  }

  /** A mail that was discarded in the meantime stays so. */
  #note(id: string, change: Partial<Row>): void {
    this.#deps.db.run(q.updateTable('mail_messages').set(change).where('id', '=', id).where('status', '=', 'queued'))
  }
}

/** A filter that dislikes a link may quote it; whoever reads the log or the outbox must not be able to follow it. */
const withoutTokens = (words: string): string => words.replace(/token=[\w-]+/gi, 'token=…')
