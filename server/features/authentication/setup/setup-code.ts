import { randomInt } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileDurably } from '../../../../shared/node/files.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { equalSecrets } from '../../../platform/secrets.ts'

const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** The one-time code that proves that the user who sets the appliance up can read its data directory or its terminal. */
export class SetupCode {
  readonly #file: string
  readonly #limits: RateLimits
  readonly #onNew: (code: string) => void

  /** @param onNew is given a code that replaces another one, to show it where the first one was shown */
  constructor(dataDir: string, limits: RateLimits, onNew: (code: string) => void) {
    this.#file = join(dataDir, 'setup-code')
    this.#limits = limits
    this.#onNew = onNew
  }

  /** The present code, generated where there is none. */
  current(): string {
    const stored = existsSync(this.#file) ? readFileSync(this.#file, 'utf8').trim() : ''
    return normalize(stored) === '' ? this.#replace() : stored
  }

  /**
   * After five wrong codes a new one is generated.
   * @throws AppError `setup_code_invalid`
   */
  assertMatches(code: string): void {
    if (equalSecrets(normalize(code), normalize(this.current()))) return
    this.#limits.count('setup_code', 'bootstrap')
    if (this.#limits.retryAfterMs('setup_code', 'bootstrap') > 0) {
      this.#onNew(this.#replace())
      this.#limits.clear('setup_code', 'bootstrap')
    }
    throw new AppError('setup_code_invalid')
  }

  remove(): void {
    rmSync(this.#file, { force: true })
  }

  #replace(): string {
    const letters = Array.from({ length: 16 }, () => alphabet[randomInt(alphabet.length)])
    const code = [0, 4, 8, 12].map((at) => letters.slice(at, at + 4).join('')).join('-')
    writeFileDurably(this.#file, `${code}\n`)
    return code
  }
}

const normalize = (code: string) => code.toUpperCase().replace(/[^A-Z0-9]/g, '')
