import { join } from 'node:path'

export const databaseName = 'homeport.db'

/** Where an appliance keeps its database. */
export const databaseFile = (dataDir: string): string => join(dataDir, databaseName)
