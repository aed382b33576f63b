/** Keys whose recovery sheet nobody has locked away are asked about by mail. */
export const name = '030-recovery-sheet-reminders'

export const sql = `
ALTER TABLE storage_encryption_keys ADD COLUMN sheet_reminded_at TEXT;
CREATE INDEX storage_encryption_keys_unprinted ON storage_encryption_keys (org_id)
  WHERE is_managed = 1 AND is_active = 1 AND locked_away_at IS NULL;
`
