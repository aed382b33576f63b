import type { LinkMailKind, MailData, MailKind } from './mail-kinds.ts'
import type { MailQueue } from './mail-queue.ts'

const newsLifeSeconds = 7 * 24 * 3600

/**
 * `lifeSeconds`: how long its link works, as the mail says; once they have passed, it is not sent any more. Without a
 * link it is sent within a week.
 */
export type Envelope<Kind extends MailKind> = {
  kind: Kind
  to: string
  data: MailData[Kind]
} & (Kind extends LinkMailKind ? { lifeSeconds: number } : { lifeSeconds?: number })

/** Puts mail into the queue; part of the transaction under way, so what is undone is not mailed. */
export class Mailer {
  readonly #queue: MailQueue

  constructor(queue: MailQueue) {
    this.#queue = queue
  }

  send<Kind extends MailKind>({ kind, to, data, lifeSeconds = newsLifeSeconds }: Envelope<Kind>): void {
    this.#queue.add({ input: { kind, to, data }, deadlineMs: lifeSeconds * 1000 })
  }

  /** What has not left yet and says something that is no longer so; part of the transaction under way. */
  withdraw<Kind extends MailKind>(kind: Kind, about: keyof MailData[Kind] & string, value: string): void {
    this.#queue.removeWhere({ kind, [`data.${about}`]: value })
  }
}
