import pRetry, { type RetryContext } from 'p-retry'
import type { Database } from '../db/database.ts'
import type { OnUnwritten } from './audit.ts'
import type { Log } from './log.ts'

/** After 5, 10 and 20 seconds. */
const attempts = { retries: 3, minTimeout: 5_000, factor: 2, unref: true }

/** Retries an event after the change has been committed: an audit failure does not undo the change. */
export const auditRetries =
  (db: Database, log: Log): OnUnwritten =>
  (first, action, write) => {
    const report = (error: unknown) => log.error({ err: error, action }, 'An audit event could not be written')
    report(first)
    db.afterCommit(() => {
      // The first attempt was made with the change, and reported.
      const again = (attempt: number) => (attempt === 1 ? Promise.reject(first) : write())
      const onFailedAttempt = ({ attemptNumber, error }: RetryContext) => {
        if (attemptNumber > 1) report(error)
      }
      pRetry(again, { ...attempts, onFailedAttempt }).catch(() => log.error({ action }, 'An audit event is lost'))
    })
  }
