import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { z } from 'zod'
import { writeFileDurably } from '../../shared/node/files.ts'
import { errorCode } from '../../shared/thrown.ts'
import { isProcessRunning } from '../lib/is-process-running.ts'

export interface DataLock {
  /** Where people find the process that holds the lock. */
  servesAt: (address: string) => void
  release: () => void
}

const holder = z.object({
  pid: z.int().positive(),
  purpose: z.enum(['serve', 'restore']),
  since: z.iso.datetime(),
  address: z.string().optional(),
})
type Holder = z.infer<typeof holder>

/**
 * One process at a time owns a data directory. The lock is a transaction that never ends: the operating system drops
 * it with the process, however that dies. A file beside it names the process, for messages only.
 */
export function lockDataDir(dataDir: string, purpose: Holder['purpose']): DataLock {
  const lock = new SQLite(lockFile(dataDir), { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (errorCode(error) !== 'SQLITE_BUSY') throw error
    throw new Error(describe(dataDir, holderOf(dataDir)), { cause: error })
  }
  const file = holderFile(dataDir)
  const own: Holder = { pid: process.pid, purpose, since: new Date().toISOString() }
  const tell = (what: Holder) => writeFileDurably(file, `${JSON.stringify(what)}\n`)
  tell(own)
  return {
    servesAt: (address) => tell({ ...own, address }),
    release: () => {
      rmSync(file, { force: true })
      lock.close()
    },
  }
}

/** Whether the folder was ever locked; only locking it shows whether it is locked now. */
export const hasLock = (dataDir: string): boolean => existsSync(lockFile(dataDir))

const lockFile = (dataDir: string) => join(dataDir, 'lock.db')
const holderFile = (dataDir: string) => join(dataDir, 'lock.json')

/** Null when the file does not name a live process: it may be missing, or left by a process that has died. */
function holderOf(dataDir: string): Holder | null {
  try {
    const found = holder.parse(JSON.parse(readFileSync(holderFile(dataDir), 'utf8')))
    return isProcessRunning(found.pid) ? found : null
  } catch {
    return null
  }
}

function describe(dataDir: string, found: Holder | null): string {
  if (!found) return `Another Homeport is running on ${dataDir}; stop it first`
  const { pid, purpose, since, address } = found
  const who = `process ${pid}, since ${since.slice(0, 19).replace('T', ' ')} UTC`
  if (purpose === 'restore') return `A backup is being restored into ${dataDir} (${who}); wait until it is done`
  const kill = process.platform === 'win32' ? `taskkill /F /PID ${pid}` : `kill ${pid}`
  return [
    `Another Homeport is running on ${dataDir}: ${who}${address ? `, at ${address}` : ''}.`,
    `Stop it first: with Ctrl+C in its terminal, or "${kill}"; a service with the system's service manager, the desktop app with Quit.`,
  ].join('\n')
}
