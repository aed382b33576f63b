import type { MailKind } from './mail-kinds.ts'

export interface OutgoingMail {
  id: string
  kind: MailKind
  to: string
  subject: string
  text: string
  html: string
  createdAt: string
}

export interface Delivered {
  /** What the server said when it took the mail. */
  response: string
  /** Where the mail was written instead of being sent. */
  file: string | null
}

/** What becomes of mail. */
export interface MailTransport {
  /** Rejects with a MailRefusal. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<Delivered>
}

/** The mail was not taken; the message is in the words of the mail server. */
export class MailRefusal extends Error {
  override name = 'MailRefusal'
  /** The recipient will never get mail there; trying again is of no use. */
  readonly isFinal: boolean

  constructor(message: string, isFinal: boolean, options?: ErrorOptions) {
    super(message, options)
    this.isFinal = isFinal
  }
}
