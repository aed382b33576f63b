import { isObject } from '../../../shared/objects.ts'
import type { Secrets } from '../../platform/secrets.ts'
import {
  isLinkMail,
  type LinkMailKind,
  linkKinds,
  type MailData,
  type MailKind,
  type SideLinkKind,
} from './mail-kinds.ts'
import { asHtml, asText } from './mail-layout.ts'
import { linkPaths, mailTexts, unlockPath } from './mail-texts.ts'

export interface QueuedMail<Kind extends MailKind = MailKind> {
  kind: Kind
  data: MailData[Kind]
  createdAt: string
  expiresAt: string | null
}

/** Turns a queued mail into its text and HTML. Links exist only here: the queue holds their ids. */
export class MailWriter {
  readonly #secrets: Secrets
  readonly #home: () => string

  /** `home` is the address of the appliance that its links begin with. */
  constructor(secrets: Secrets, home: () => string) {
    this.#secrets = secrets
    this.#home = home
  }

  write<Kind extends MailKind>({ kind, data, createdAt, expiresAt }: QueuedMail<Kind>) {
    const home = this.#home()
    const content = mailTexts[kind](oneLined(data), {
      home,
      link: isLinkMail(kind) && 'linkId' in data ? this.linkTo(kind, data.linkId) : '',
      sideLink: 'unlockId' in data ? this.#unlockLink(data.unlockId) : '',
      expiresAt: expiresAt ?? createdAt,
    })
    return { subject: content.subject, text: asText(content, home), html: asHtml(content, home) }
  }

  #unlockLink(linkId: string): string {
    const kind: SideLinkKind = 'account_unlock'
    return `${this.#home()}${unlockPath}?token=${this.#secrets.linkToken(kind, linkId)}`
  }

  /** The link itself, of which only the id is kept. */
  linkTo(kind: LinkMailKind, linkId: string): string {
    return `${this.#home()}${linkPaths[kind]}?token=${this.#secrets.linkToken(linkKinds[kind], linkId)}`
  }
}

/**
 * Replaces control characters and line separators, with which a name could add paragraphs or headers to the mail, and
 * direction marks, which would reverse the words after them.
 */
const oneLined = <Data>(data: Data): Data => oneLinedValue(data) as Data

function oneLinedValue(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
  if (Array.isArray(value)) return value.map(oneLinedValue)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, oneLinedValue(inner)]))
}
