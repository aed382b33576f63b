import { AppError } from '../../platform/errors.ts'

/** restic sends ten at once, and each takes memory and a file. */
const mostAtOnce = 32

/** What is being uploaded at this moment. */
export class Uploads {
  readonly #byRepository = new Map<string, number>()
  /** Announced by all of them. */
  bytes = 0

  /**
   * Answers how to say that it has ended.
   * @throws AppError `backup_store_busy`
   */
  begin(repositoryId: string, bytes: number): () => void {
    const others = this.#byRepository.get(repositoryId) ?? 0
    if (others >= mostAtOnce) throw new AppError('backup_store_busy')
    this.#byRepository.set(repositoryId, others + 1)
    this.bytes += bytes
    return () => {
      this.bytes -= bytes
      const left = (this.#byRepository.get(repositoryId) ?? 1) - 1
      if (left === 0) this.#byRepository.delete(repositoryId)
      else this.#byRepository.set(repositoryId, left)
    }
  }
}
