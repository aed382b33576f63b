import { randomUUIDv7 } from 'node:crypto'
import { second } from '../../../platform/clock.ts'
import type { Secrets } from '../../../platform/secrets.ts'
import type { LinkKind, SideLinkKind } from '../../messaging/index.ts'
import type { OneTimeSecrets, Secret } from './one-time-secrets.ts'
import type { SecretPayloads } from './secret-payloads.ts'

type AnyLinkKind = LinkKind | SideLinkKind

/** The secret a link in a mail stands for. */
export type MailLink<Kind extends AnyLinkKind> = Secret<Kind>

interface NewLink<Kind extends AnyLinkKind> {
  userId: string | null
  payload: SecretPayloads[Kind]
  lifeSeconds: number
}

/** Links in mail, each good for one use. Their tokens are not stored: they are derived from the id when the mail is sent. */
export class MailLinks {
  readonly #oneTimeSecrets: OneTimeSecrets
  readonly #secrets: Secrets

  constructor(oneTimeSecrets: OneTimeSecrets, secrets: Secrets) {
    this.#oneTimeSecrets = oneTimeSecrets
    this.#secrets = secrets
  }

  /** @returns the id of the link, which the queued mail contains instead of the token */
  issue<Kind extends AnyLinkKind>(kind: Kind, { userId, payload, lifeSeconds }: NewLink<Kind>): string {
    const linkId = randomUUIDv7()
    const token = this.#secrets.linkToken(kind, linkId)
    this.#oneTimeSecrets.put(kind, token, { userId, payload, lifeMs: lifeSeconds * second })
    return linkId
  }

  /** By id; undefined for a link that was used or has expired. */
  find<Kind extends LinkKind>(kind: Kind, linkId: string): MailLink<Kind> | undefined {
    return this.#oneTimeSecrets.find(kind, this.#secrets.linkToken(kind, linkId))
  }

  /** By the token in the link; undefined for a link that is unknown, used or expired. */
  open<Kind extends AnyLinkKind>(kind: Kind, token: string): MailLink<Kind> | undefined {
    return this.#oneTimeSecrets.find(kind, token)
  }

  /** The links of this kind sent to a user stop working, all or those whose payload has this value at `field`. */
  withdraw(kind: AnyLinkKind, userId: string, payload?: { field: string; value: string }): void {
    this.#oneTimeSecrets.delete(kind, userId, payload)
  }
}
