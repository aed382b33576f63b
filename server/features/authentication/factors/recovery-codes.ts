import { randomInt } from 'node:crypto'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Secrets } from '../../../platform/secrets.ts'
import { findUser, type User } from '../../access/users/store.ts'
import { recoveryHashes } from '../../access/users/held-factors.ts'

const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const count = 10

/** Ten codes that stand in for any other factor; each works once, and only their hashes are kept. */
export class RecoveryCodes {
  readonly #db: Database
  readonly #secrets: Secrets
  readonly #audit: Audit

  constructor(db: Database, secrets: Secrets, audit: Audit) {
    this.#db = db
    this.#secrets = secrets
    this.#audit = audit
  }

  fresh(): string[] {
    return Array.from({ length: count }, recoveryCode)
  }

  /** What is stored of a set of codes. */
  stored(codes: readonly string[]): string {
    return JSON.stringify(codes.map(this.#secrets.recoveryCodeHash))
  }

  /**
   * Null for a wrong code; else what uses the code up, inside the transaction of what it lets somebody do, so that a
   * crash in between costs nobody a code.
   */
  check(user: User, code: string): ((actor: Actor) => void) | null {
    const hash = this.#secrets.recoveryCodeHash(withHyphen(code))
    return recoveryHashes(user).includes(hash) ? (actor) => this.#spend(user.id, hash, actor) : null
  }

  #spend(userId: string, hash: string, actor: Actor): void {
    const user = findUser(this.#db, userId)
    const codes = user ? recoveryHashes(user) : []
    if (!codes.includes(hash)) throw new AppError('mfa_code_invalid')
    const left = codes.filter((code) => code !== hash)
    this.#db.run(
      q
        .updateTable('users')
        .set({ mfa_recovery_codes: JSON.stringify(left) })
        .where('id', '=', userId),
    )
    this.#audit(actor, {
      action: 'auth.mfa.recovery_code.used',
      resourceType: 'user',
      resourceId: userId,
      details: { remainingApprox: left.length },
    })
  }
}

/** `ABCD-EFGH`; people leave the hyphen out or write a space. */
const withHyphen = (code: string) => code.trim().replace(/^(\w{4})[- ]?(\w{4})$/, '$1-$2')

function recoveryCode(): string {
  const letters = Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)])
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`
}
