import { randomUUIDv7 } from 'node:crypto'
import { second } from '../../../platform/clock.ts'
import type { Secrets } from '../../../platform/secrets.ts'
import type { LinkKind, SideLinkKind } from '../../messaging/index.ts'
import type { OneTimeSecrets, Secret } from './one-time-secrets.ts'

type Kind = LinkKind | SideLinkKind

/** The record a link in a mail opens. */
export type MailLink<Payload> = Secret<Payload>

interface NewLink<Payload> {
  userId: string | null
  payload: Payload
  lifeSeconds: number
}

/** Links in mail, each good for one use. Their tokens are kept nowhere: they are made anew when the mail is sent. */
export class MailLinks {
  readonly #oneTime: OneTimeSecrets
  readonly #secrets: Secrets

  constructor(oneTime: OneTimeSecrets, secrets: Secrets) {
    this.#oneTime = oneTime
    this.#secrets = secrets
  }

  /** Returns the id that the mail names. */
  issue<Payload extends object>(kind: Kind, { userId, payload, lifeSeconds }: NewLink<Payload>): string {
    const linkId = randomUUIDv7()
    const token = this.#secrets.linkToken(kind, linkId)
    this.#oneTime.put(kind, token, { userId, payload, lifeMs: lifeSeconds * second })
    return linkId
  }

  /** By the id; undefined once it was used or has expired. */
  find<Payload>(kind: LinkKind, linkId: string): MailLink<Payload> | undefined {
    return this.#oneTime.find(kind, this.#secrets.linkToken(kind, linkId))
  }

  /** By the token that came with the link; undefined for one that is unknown, used or expired. */
  open<Payload>(kind: Kind, token: string): MailLink<Payload> | undefined {
    return this.#oneTime.find(kind, token)
  }
}
