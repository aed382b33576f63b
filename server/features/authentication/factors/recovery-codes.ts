import { randomInt } from 'node:crypto'
import type { Database } from '../../../db/database.ts'
import { type JsonText, toJson } from '../../../lib/json.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Secrets } from '../../../platform/secrets.ts'
import { findUser, recoveryCodeHashes, type User, updateUser } from '../../access/index.ts'

const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const count = 10

/** Ten codes, each of which replaces any other factor once; only their hashes are stored. */
export class RecoveryCodes {
  readonly #db: Database
  readonly #secrets: Secrets
  readonly #audit: Audit

  constructor(db: Database, secrets: Secrets, audit: Audit) {
    this.#db = db
    this.#secrets = secrets
    this.#audit = audit
  }

  generate(): string[] {
    return Array.from({ length: count }, recoveryCode)
  }

  /** The value of the column `mfa_recovery_codes` for these codes. */
  hashed(codes: readonly string[]): JsonText<string[]> {
    return toJson(codes.map(this.#secrets.recoveryCodeHash))
  }

  /**
   * @returns null for a wrong code; else a function that uses the code up, to be called inside the transaction of what it
   *   authorizes, so that a crash in between costs no code
   */
  check(user: User, code: string): ((actor: Actor) => void) | null {
    const hash = this.#secrets.recoveryCodeHash(withHyphen(code))
    return recoveryCodeHashes(user).includes(hash) ? (actor) => this.#spend(user.id, hash, actor) : null
  }

  #spend(userId: string, hash: string, actor: Actor): void {
    const user = findUser(this.#db, userId)
    const codes = user ? recoveryCodeHashes(user) : []
    if (!codes.includes(hash)) throw new AppError('mfa_code_invalid')
    const left = codes.filter((code) => code !== hash)
    updateUser(this.#db, userId, { mfa_recovery_codes: toJson(left) })
    this.#audit(actor, {
      action: 'auth.mfa.recovery_code.used',
      resourceType: 'user',
      resourceId: userId,
      details: { remainingApprox: left.length },
    })
  }
}

/** `ABCD-EFGH`; users leave the hyphen out or type a space. */
const withHyphen = (code: string) => code.trim().replace(/^(\w{4})[- ]?(\w{4})$/, '$1-$2')

function recoveryCode(): string {
  const letters = Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)])
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`
}
