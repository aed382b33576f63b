/** Second copies are read back part by part. */
export const name = '034-second-copies'

export const sql = `
-- Which part of its data was read back last.
ALTER TABLE backup_vault_repositories ADD COLUMN read_part INTEGER NOT NULL DEFAULT 0;
`
