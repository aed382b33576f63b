import type { Secrets } from '../../platform/secrets.ts'
import { letters, linkPaths, unlockPath } from './letters.ts'
import {
  isLinkMail,
  type LinkMailKind,
  linkKinds,
  type MailData,
  type MailKind,
  type SideLinkKind,
} from './mail-kinds.ts'
import { asHtml, asText } from './mail-layout.ts'

export interface QueuedMail<Kind extends MailKind = MailKind> {
  kind: Kind
  data: MailData[Kind]
  createdAt: string
  expiresAt: string | null
}

/** Turns what is in the queue into a mail; only here a link comes into being. */
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
    const letter = letters[kind](oneLined(data), {
      home,
      link: isLinkMail(kind) && 'linkId' in data ? this.linkTo(kind, data.linkId) : '',
      sideLink: 'unlockId' in data ? this.#unlockLink(data.unlockId) : '',
      lifeMs: expiresAt === null ? 0 : Date.parse(expiresAt) - Date.parse(createdAt),
      expiresAt: expiresAt ?? createdAt,
    })
    return { subject: letter.subject, text: asText(letter, home), html: asHtml(letter, home) }
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
 * A line break in a name would begin a paragraph of somebody else's in the mail, or a header; so would its relatives.
 * What turns the direction of writing would turn the words after it, too.
 */
const oneLined = <Data extends object>(data: Data): Data =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [
      key,
      typeof value === 'string' ? value.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ') : value,
    ]),
  ) as Data
