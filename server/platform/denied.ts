import type { ErrorCode } from '../../shared/errors/index.ts'
import type { Database, Plain } from '../db/database.ts'
import type { UserActor } from './actor.ts'
import type { Audit, AuditEvent } from './audit.ts'
import { AppError } from './errors.ts'

interface DeniedServices {
  db: Database
  audit: Audit
}

/**
 * Does `work` in a transaction. If it is refused with one of `codes`, the try is in the audit log, under the event that
 * `work` has named with `tries` by then.
 */
export function notingDenied<T>(
  { db, audit }: DeniedServices,
  actor: UserActor,
  codes: readonly ErrorCode[],
  work: (tries: (event: AuditEvent) => void) => Plain<T>,
): T {
  let tried: AuditEvent | undefined
  const tries = (event: AuditEvent) => {
    tried = event
  }
  try {
    return db.transaction(() => work(tries))
  } catch (error) {
    if (tried && error instanceof AppError && codes.some((code) => code === error.code))
      audit(actor, { ...tried, details: { ...tried.details, refusal: error.code }, result: 'denied' })
    throw error
  }
}
