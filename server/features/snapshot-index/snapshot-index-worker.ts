import { isMainThread, parentPort } from 'node:worker_threads'
import { compareSnapshots } from './compare-snapshots.ts'
import { expandPaths } from './expand-paths.ts'
import { asIndexError, IndexError } from './index-error.ts'
import { deleteFile, type IndexDatabase, openToWrite } from './index-file.ts'
import { measureChange } from './measure-change.ts'
import { OpenFiles } from './open-files.ts'
import { readEntry } from './read-entry.ts'
import { readFolder } from './read-folder.ts'
import { readTree } from './read-tree.ts'
import { readVersions } from './read-versions.ts'
import { removeSnapshots } from './remove-snapshots.ts'
import { searchNames } from './search-names.ts'
import type { Answer, Asked, IndexedSnapshot, Questions, Request } from './shapes.ts'
import { storeListing } from './store-listing.ts'
import { readBelow } from './walk.ts'

/** Reads and writes index files, with calls that take up to seconds, in a thread of its own. */

type Answers = {
  [Name in Asked]: (
    file: string,
    input: Questions[Name]['input'],
  ) => Questions[Name]['output'] | Promise<Questions[Name]['output']>
}

const files = new OpenFiles()

const answers: Answers = {
  store: (file, input) => writing(file, input.bounds.fileBytes, (db) => storeListing(db, input)),
  remove: (file, { snapshotIds, bounds }) =>
    writing(file, bounds.fileBytes, (db) => {
      removeSnapshots(db, snapshotIds)
      return null
    }),
  close: (file) => {
    files.close(file)
    return null
  },
  delete: (file) => {
    deleteFile(file)
    return null
  },
  indexed: (file) => files.read(file, indexedSnapshots),
  folder: (file, input) => files.read(file, (db) => readFolder(db, input)),
  entry: (file, input) => files.read(file, (db) => readEntry(db, input)),
  search: (file, input) => files.read(file, (db) => searchNames(db, input)),
  versions: (file, input) => files.read(file, (db) => readVersions(db, input)),
  compare: (file, input) => files.read(file, (db) => compareSnapshots(db, input)),
  measure: (file, input) => files.read(file, (db) => measureChange(db, input)),
  expand: (file, input) => files.read(file, (db) => expandPaths(db, input)),
  below: (file, input) => files.read(file, (db) => readBelow(db, input)),
  tree: (file, input) => files.read(file, (db) => readTree(db, input)),
}

async function writing<Result>(
  file: string,
  mostBytes: number,
  work: (db: IndexDatabase) => Result | Promise<Result>,
): Promise<Result> {
  const db = openToWrite(file, mostBytes)
  try {
    return await work(db)
  } finally {
    db.close()
  }
}

function indexedSnapshots(db: IndexDatabase): IndexedSnapshot[] {
  return db
    .prepare<[], IndexedSnapshot>(
      'SELECT snapshot AS id, time, files, folders, bytes FROM snapshots ORDER BY time DESC, snapshots.id DESC',
    )
    .all()
}

/** Of any question, whose name says what its input is. */
const answerTo = <Name extends Asked>(ask: Name, file: string, input: Questions[Name]['input']) =>
  answers[ask](file, input)

if (isMainThread || !parentPort) throw new Error('This module runs in a worker thread only')
const port = parentPort

async function handle({ id, ask, file, input }: Request): Promise<void> {
  const answer = (value: Answer, transfer: ArrayBuffer[] = []) => port.postMessage(value, transfer)
  try {
    const value = await answerTo(ask, file, input)
    const transfer = value !== null && 'json' in value ? [value.json.buffer] : []
    answer({ id, isDone: true, value }, transfer)
  } catch (error) {
    const own = asIndexError(error)
    const code = own instanceof IndexError ? own.code : null
    answer({ id, isDone: false, code, message: own instanceof Error ? own.message : String(own) })
  }
}

port.on('message', (request: Request) => void handle(request))
