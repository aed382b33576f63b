import type { Database } from '../db/database.ts'
import type { OnUnwritten } from './audit.ts'
import type { Log } from './log.ts'

const pausesMs = [5_000, 10_000, 20_000]

/** What happened has happened: its event is tried again once the change is saved, and never stands in its way. */
export const auditRetries = (db: Database, log: Log): OnUnwritten => {
  const retry = async (action: string, write: () => void) => {
    for (const pause of pausesMs) {
      await new Promise((resume) => setTimeout(resume, pause).unref())
      try {
        return write()
      } catch (error) {
        log.error({ err: error, action }, 'An audit event could not be written')
      }
    }
    log.error({ action }, 'An audit event is lost')
  }
  return (error, action, write) => {
    log.error({ err: error, action }, 'An audit event could not be written')
    db.afterCommit(() => void retry(action, write))
  }
}
