import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { Database } from '../db/database.ts'
import { databaseFile } from '../db/location.ts'

/** Opens the database of an appliance that has run before, whether or not it runs now. */
export function openData(config: Config): Database {
  const file = databaseFile(config.dataDir)
  if (!existsSync(file))
    throw new Error(`There is no appliance in ${config.dataDir}; start it once, or set HOMEPORT_DATA_DIR`)
  const db = new Database({ file })
  db.migrate()
  return db
}
