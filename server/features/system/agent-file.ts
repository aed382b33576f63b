import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'

/** The single-file agent that devices download; read again when it was built anew. */
export class AgentFile {
  readonly #path: string
  #loaded: { text: string; sha256: string; mtimeMs: number } | null = null

  constructor(path: string) {
    this.#path = path
  }

  /** Null when it has not been built. */
  async read(): Promise<{ text: string; sha256: string } | null> {
    const found = await stat(this.#path).catch(() => null)
    if (!found) return null
    if (this.#loaded?.mtimeMs !== found.mtimeMs) {
      const text = await readFile(this.#path, 'utf8')
      this.#loaded = { text, sha256: createHash('sha256').update(text).digest('hex'), mtimeMs: found.mtimeMs }
    }
    return this.#loaded
  }
}
