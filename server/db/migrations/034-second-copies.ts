/** Second copies are read back part by part; that one failed is mailed. */
export const name = '034-second-copies'

export const sql = `
-- Which part of its data was read back last.
ALTER TABLE backup_vault_repositories ADD COLUMN read_part INTEGER NOT NULL DEFAULT 0;

DROP INDEX backup_attention_unmailed;
CREATE INDEX backup_attention_unmailed ON backup_attention (org_id)
  WHERE resolved_at IS NULL AND mailed_at IS NULL
    AND kind IN ('missed_twice', 'unusual_change', 'verification_failed', 'copy_late', 'copy_failed');
`
