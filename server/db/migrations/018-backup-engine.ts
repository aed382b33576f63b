/** Which engine of backups each device has. */
export const name = '018-backup-engine'

export const sql = `
ALTER TABLE devices ADD COLUMN backup_version TEXT;
`
