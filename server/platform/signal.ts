/**
 * What one feature says and others act upon, without knowing each other. Listeners run in the call that says it, in the
 * order in which they were added, and so in its transaction: who says something after a commit says it in `afterCommit`.
 */
export class Signal<Message> {
  readonly #listeners: ((message: Message) => void)[] = []

  on(listener: (message: Message) => void): void {
    this.#listeners.push(listener)
  }

  /** @throws what a listener throws; later ones are not asked then */
  say(message: Message): void {
    for (const listener of this.#listeners) listener(message)
  }
}
