/** Where a second copy lies in other storage is kept: the organization that it belongs to can become another one. */
export const name = '035-copy-places'

export const sql = `
ALTER TABLE backup_vault_repositories ADD COLUMN sub_path TEXT NOT NULL DEFAULT '';
UPDATE backup_vault_repositories SET sub_path = org_id || '/copies/' || folder;
`
