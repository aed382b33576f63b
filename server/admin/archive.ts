import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import SQLite from 'better-sqlite3'
import { extract } from 'tar'
import { syncToDisk } from '../../shared/node/files.ts'
import { isRecord } from '../../shared/objects.ts'
import { errorCode } from '../../shared/thrown.ts'
import type { Config } from '../config/config.ts'
import { Database } from '../db/database.ts'
import { databaseFile } from '../db/location.ts'
import { migrations } from '../db/migrations/index.ts'
import { openData } from '../db/open-data.ts'
import { archivedNames, writeBackup } from '../features/appliance-backup/archive.ts'
import { type LastBackup, lastBackup, opensHereOnly } from '../features/appliance-backup/index.ts'
import { hasLock, lockDataDir } from '../platform/data-lock.ts'

/** Writes a backup and notes that there is one. */
export async function backUp(config: Config, file: string): Promise<string> {
  const { target, bytes } = await writeBackup(config, file)
  noteBackup(config, { at: new Date().toISOString(), by: 'command', bytes })
  const warning = opensHereOnly(config.dataDir)
    ? ' Its keys are wrapped by the keychain of this desktop: it can be restored only on this machine, under this account.'
    : ''
  return `Wrote ${target}. It holds secrets: keep it where only administrators can read it.${warning}`
}

function noteBackup(config: Config, backup: LastBackup): void {
  const db = openData(config)
  try {
    lastBackup(db).write(backup)
  } finally {
    db.close()
  }
}

/** Puts a backup in place of what is there; that is kept beside it until somebody deletes it. */
export async function restore(config: Config, file: string): Promise<string> {
  const source = resolve(file)
  if (!existsSync(source)) throw new Error(`File not found: ${source}`)
  if (!statSync(source).isFile()) throw new Error(`${source} is not a file`)
  assertUnused(config.dataDir)
  const made = mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  try {
    const former = await bringIn(config.dataDir, source)
    return `Restored ${basename(source)} into ${config.dataDir}.${former ? ` What was there before is in ${former}.` : ''}`
  } finally {
    if (made) removeEmpty(resolve(config.dataDir), resolve(made))
  }
}

/** Removes a folder, and those above it up to `top`, until one holds something. */
function removeEmpty(folder: string, top: string): void {
  try {
    for (let each = folder; each.length >= top.length; each = dirname(each)) rmdirSync(each)
  } catch (error) {
    if (errorCode(error) !== 'ENOTEMPTY') throw error
  }
}

/** Better said before a large backup is unpacked. */
function assertUnused(dataDir: string): void {
  if (hasLock(dataDir)) lockDataDir(dataDir, 'restore').release()
}

/** Locks the folder only when the backup has proved whole, so that a bad one leaves not even a lock file. */
async function bringIn(dataDir: string, source: string): Promise<string | null> {
  const work = mkdtempSync(join(dataDir, '.restore-'))
  try {
    await unpack(source, work)
    verify(work, source)
    const lock = lockDataDir(dataDir, 'restore')
    try {
      return replace(dataDir, work)
    } finally {
      lock.release()
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function unpack(source: string, work: string): Promise<void> {
  // Folders and files only: a link could have the key ring read from, or written to, anywhere.
  const isPlain = (entry: object) => 'type' in entry && (entry.type === 'File' || entry.type === 'Directory')
  const isKept = (path: string) => archivedNames.includes(path.split('/')[0] ?? '')
  try {
    await extract({ file: source, cwd: work, strict: true, filter: (path, entry) => isKept(path) && isPlain(entry) })
  } catch (error) {
    // A full disk, say, is not the fault of the backup.
    throw isRecord(error) && error.syscall ? error : noBackup(source, error)
  }
}

function verify(work: string, source: string): void {
  const file = databaseFile(work)
  assertOurs(file, source)
  const db = new Database({ file })
  try {
    db.migrate()
    const problems = db.check()
    if (problems.length > 0) throw new Error(`The database in ${source} is damaged: ${problems[0]}`)
  } catch (error) {
    throw error instanceof SQLite.SqliteError ? noBackup(source, error) : error
  } finally {
    db.close()
  }
}

/** Any other database would be taken for an empty appliance, and filled with our tables. */
function assertOurs(file: string, source: string): void {
  try {
    const db = new SQLite(file, { readonly: true })
    try {
      if (!db.prepare('SELECT 1 FROM migrations WHERE name = ?').get(migrations[0]?.name)) throw noBackup(source)
    } finally {
      db.close()
    }
  } catch (error) {
    throw noBackup(source, error)
  }
}

/** What an archive or database library says is no sentence for the person who named the wrong file. */
const noBackup = (source: string, cause?: unknown): Error =>
  new Error(
    `${source} is not a backup of a Homeport appliance, or it is damaged; nothing was changed. "npm run admin -- backup <file>" makes one`,
    { cause },
  )

function replace(dataDir: string, work: string): string | null {
  for (const name of readdirSync(work, { recursive: true, encoding: 'utf8' })) syncToDisk(join(work, name))
  const present = readdirSync(dataDir).filter(
    (name) => archivedNames.includes(name) || /^homeport\.db-(wal|shm)$/.test(name),
  )
  let former: string | null = null
  if (present.length > 0) {
    former = mkdtempSync(join(dataDir, 'before-restore-'))
    for (const name of present) renameSync(join(dataDir, name), join(former, name))
    syncToDisk(former)
  }
  for (const name of archivedNames) if (existsSync(join(work, name))) renameSync(join(work, name), join(dataDir, name))
  syncToDisk(dataDir)
  return former
}
