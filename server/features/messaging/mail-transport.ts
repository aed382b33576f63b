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

/** A way out of the appliance. */
export interface MailTransport {
  /** Resolves with what the server said when it took the mail; rejects with a MailRefusal. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<string>
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
