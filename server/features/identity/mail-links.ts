import { randomUUIDv7 } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Clock, iso, second } from '../../platform/clock.ts'
import { type Secrets, sha256 } from '../../platform/secrets.ts'
import type { linkKinds } from '../messaging/index.ts'

export type LinkKind = (typeof linkKinds)[keyof typeof linkKinds]

/** The record a link in a mail opens. */
export interface MailLink<Payload> {
  kind: LinkKind
  key: string
  userId: string | null
  payload: Payload
  expiresAtMs: number
}

interface NewLink<Payload> {
  userId: string | null
  payload: Payload
  lifeSeconds: number
}

/** Links in mail, each good for one use. Their tokens are kept nowhere: they are made anew when the mail is sent. */
export class MailLinks {
  readonly #db: Database
  readonly #clock: Clock
  readonly #secrets: Secrets

  constructor(db: Database, clock: Clock, secrets: Secrets) {
    this.#db = db
    this.#clock = clock
    this.#secrets = secrets
  }

  /** Returns the id that the mail names. */
  issue<Payload extends object>(kind: LinkKind, { userId, payload, lifeSeconds }: NewLink<Payload>): string {
    const linkId = randomUUIDv7()
    this.#db.run(
      q.insertInto('one_time_secrets').values({
        kind,
        key_hash: this.#keyOf(kind, linkId),
        user_id: userId,
        payload: JSON.stringify(payload),
        expires_at: iso(this.#clock.now() + lifeSeconds * second),
      }),
    )
    return linkId
  }

  /** By the id; undefined once it was used or has expired. */
  find<Payload>(kind: LinkKind, linkId: string): MailLink<Payload> | undefined {
    return this.#read(kind, this.#keyOf(kind, linkId))
  }

  /** By the token that came with the link; undefined for one that is unknown, used or expired. */
  open<Payload>(kind: LinkKind, token: string): MailLink<Payload> | undefined {
    return this.#read(kind, sha256(token))
  }

  /** False if somebody else was faster. */
  consume({ kind, key }: MailLink<unknown>): boolean {
    return this.#db.run(q.deleteFrom('one_time_secrets').where('kind', '=', kind).where('key_hash', '=', key)) > 0
  }

  #keyOf(kind: LinkKind, linkId: string): string {
    return sha256(this.#secrets.linkToken(kind, linkId))
  }

  #read<Payload>(kind: LinkKind, key: string): MailLink<Payload> | undefined {
    const row = this.#db.first(
      q.selectFrom('one_time_secrets').selectAll().where('kind', '=', kind).where('key_hash', '=', key),
    )
    const expiresAtMs = row ? Date.parse(row.expires_at) : 0
    if (!row || expiresAtMs <= this.#clock.now()) return undefined
    return { kind, key, userId: row.user_id, payload: JSON.parse(row.payload) as Payload, expiresAtMs }
  }
}
