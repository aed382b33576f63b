import { existsSync } from 'node:fs'
import { Database } from './database.ts'
import { databaseFile } from './location.ts'

/** Opens the database of an appliance that has run before, whether or not it runs now. */
export function openData({ dataDir }: { dataDir: string }): Database {
  const file = databaseFile(dataDir)
  if (!existsSync(file)) throw new Error(`There is no appliance in ${dataDir}; start it once, or set HOMEPORT_DATA_DIR`)
  const db = new Database({ file })
  db.migrate()
  return db
}
