import { AppError } from '../../platform/errors.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { IsLinkLive, LinkKind } from '../messaging/index.ts'
import { DeadLink } from './email-address/invalid-link.ts'

/** Asks whoever opens the links of a kind, so that a mail brings a link just when it would work; `open` fails if not. */
export const liveLinks =
  (secrets: Secrets, open: Record<LinkKind, (token: string) => unknown>): IsLinkLive =>
  (kind, linkId) => {
    try {
      open[kind](secrets.linkToken(kind, linkId))
      return true
    } catch (error) {
      if (error instanceof AppError || error instanceof DeadLink) return false
      throw error
    }
  }
