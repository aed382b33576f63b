import type { Database } from '../../db/database.ts'
import { StoredSetting } from '../../platform/stored-setting.ts'

/** The newest backup of the appliance that was finished. */
export interface LastBackup {
  /** ISO instant. */
  at: string
  by: 'command' | 'download'
  bytes: number
}

export const lastBackup = (db: Database) => new StoredSetting<LastBackup>(db, 'last_backup')
