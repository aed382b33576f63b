import { join } from 'node:path'
import SQLite from 'better-sqlite3'

/**
 * One process at a time owns a data directory. The lock is a transaction that never ends: the operating system drops
 * it with the process, however that dies.
 */
export function lockDataDir(dataDir: string): () => void {
  const lock = new SQLite(join(dataDir, 'lock.db'), { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error
    throw new Error(`Another Homeport is running on ${dataDir}`, { cause: error })
  }
  return () => lock.close()
}
