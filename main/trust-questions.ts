import type { SsoTrust } from '../shared/api/sso-trust.ts'
import { type ExamineTrust, trustExaminedMessage } from '../shared/process.ts'

interface Answerer {
  send: (message: ExamineTrust) => void
}

/** Asks the running server to examine `sso-trust.json`, or a draft of it, as the rules for it are the server's. */
export class TrustQuestions {
  readonly #open = new Map<number, PromiseWithResolvers<SsoTrust>>()
  #server: Answerer | undefined
  #last = 0

  /** Rejects when there is no server, or it ends before it has answered. */
  async ask(draft?: string): Promise<SsoTrust> {
    if (!this.#server) throw new Error(notRunning)
    const answer = Promise.withResolvers<SsoTrust>()
    const id = ++this.#last
    this.#open.set(id, answer)
    this.#server.send({ type: 'examine-trust', id, draft })
    return answer.promise
  }

  serverIsReady(server: Answerer): void {
    this.#server = server
  }

  hear(message: unknown): void {
    const { data } = trustExaminedMessage.safeParse(message)
    if (!data) return
    this.#open.get(data.id)?.resolve(data.trust)
    this.#open.delete(data.id)
  }

  serverIsGone(): void {
    this.#server = undefined
    for (const answer of this.#open.values()) answer.reject(new Error(notRunning))
    this.#open.clear()
  }
}

const notRunning = 'The server is not running. Try again in a moment.'
