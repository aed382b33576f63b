/** A disk that is pulled out in the middle of its first copy is known again by what was begun on it. */
export const name = '038-begun-copies'

export const sql = `
ALTER TABLE backup_vault_repositories ADD COLUMN is_begun INTEGER NOT NULL DEFAULT 0 CHECK (is_begun IN (0, 1));
`
