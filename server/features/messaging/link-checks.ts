import type { Secrets } from '../../platform/secrets.ts'
import type { LinkKind } from './mail-kinds.ts'
import type { IsLinkLive } from './mail-queue.ts'

/** For each kind of link, whether the link with this token still works. */
export type LinkChecks = Record<LinkKind, (token: string) => boolean>

/** Tells whether the link in a queued mail still works; the feature that opens the links registers how. */
export class LiveLinks {
  readonly #secrets: Secrets
  #checks: LinkChecks | null = null

  constructor(secrets: Secrets) {
    this.#secrets = secrets
  }

  /** Called once, when the feature that opens the links is created. */
  checkWith(checks: LinkChecks): void {
    this.#checks = checks
  }

  readonly isLive: IsLinkLive = (kind, linkId) => {
    if (!this.#checks) throw new Error('No feature has registered how to check the links in mails')
    return this.#checks[kind](this.#secrets.linkToken(kind, linkId))
  }
}
