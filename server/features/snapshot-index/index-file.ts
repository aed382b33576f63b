import { existsSync, rmSync } from 'node:fs'
import SQLite from 'better-sqlite3'
import { IndexError } from './index-error.ts'

export type IndexDatabase = SQLite.Database

const version = 1

/**
 * One file for each repository. A row of `entries` is one state of one path: unchanged files cost nothing more for
 * another snapshot. Which snapshots have it, its `presence`, is a set that many rows share: a snapshot in which nothing
 * has changed adds itself to one set. The sets know no order, so snapshots can come late, in any order, from different
 * jobs of a device in turn, and go in any order.
 */
const schema = `
CREATE TABLE snapshots (
  id INTEGER PRIMARY KEY,
  snapshot TEXT NOT NULL UNIQUE,
  time INTEGER NOT NULL,
  is_windows INTEGER NOT NULL,
  files INTEGER NOT NULL,
  folders INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT;

CREATE TABLE presences (
  snapshot INTEGER NOT NULL,
  presence INTEGER NOT NULL,
  PRIMARY KEY (snapshot, presence)
) STRICT, WITHOUT ROWID;
CREATE INDEX presences_presence ON presences (presence, snapshot);

-- The top folder is 0 and has no row.
CREATE TABLE folders (id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, name TEXT NOT NULL) STRICT;

-- In the order in which lists show them: folders first, then by name.
CREATE TABLE entries (
  folder INTEGER NOT NULL,
  is_leaf INTEGER NOT NULL,
  name_key TEXT NOT NULL,
  -- Empty when it is the same as its key.
  own_name TEXT NOT NULL,
  id INTEGER NOT NULL,
  type INTEGER NOT NULL,
  size INTEGER,
  mtime INTEGER,
  presence INTEGER NOT NULL,
  -- The id of a folder.
  child INTEGER,
  PRIMARY KEY (folder, is_leaf, name_key, own_name, id)
) STRICT, WITHOUT ROWID;

-- What is to become of rows after a removal: theirs is the heir's presence, or they go.
CREATE TABLE fates (presence INTEGER PRIMARY KEY, heir INTEGER) STRICT;

CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO counters VALUES ('entry', 0), ('presence', 0), ('folder', 0);

PRAGMA user_version = ${version};
`

/** Kilobytes of the file that a connection keeps in memory. */
const cacheToRead = 8 * 1024
const cacheToWrite = 64 * 1024

/** @throws IndexError `not_indexed` when there is none, `damaged` */
export function openToRead(file: string): IndexDatabase {
  if (!existsSync(file)) throw new IndexError('not_indexed', 'There is no index file')
  const db = new SQLite(file, { fileMustExist: true })
  try {
    // A file that is mapped into memory ends the whole process when its end is missing: mmap_size stays 0.
    db.pragma(`cache_size = -${cacheToRead}`)
    db.pragma('query_only = ON')
    if (!isMade(db)) throw new IndexError('not_indexed', 'The index file is empty')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Makes the file when there is none. */
export function openToWrite(file: string, mostBytes: number): IndexDatabase {
  const db = new SQLite(file)
  try {
    // Has to be said before the first table.
    db.pragma('auto_vacuum = INCREMENTAL')
    db.pragma('journal_mode = WAL')
    // A snapshot that was reported as stored is still there after a power cut.
    db.pragma('synchronous = FULL')
    db.pragma(`cache_size = -${cacheToWrite}`)
    db.pragma('busy_timeout = 5000')
    if (!isMade(db)) db.transaction(() => db.exec(schema))()
    const pageBytes = Number(db.pragma('page_size', { simple: true }))
    db.pragma(`max_page_count = ${Math.ceil(mostBytes / pageBytes)}`)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function isMade(db: IndexDatabase): boolean {
  const found = db.pragma('user_version', { simple: true })
  if (found === version) return true
  const tables = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()
  if (found === 0 && tables === 0) return false
  throw new IndexError('damaged', `The index file has version ${String(found)}`)
}

export function deleteFile(file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
}
