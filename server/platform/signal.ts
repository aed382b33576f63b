/**
 * Lets a feature notify others without knowing them. Listeners run inside the call that emits, in the order in which
 * they were added, and so in its transaction: to notify after a commit, emit in `afterCommit`.
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
