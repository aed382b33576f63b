/** What policies hold stays held when the device is moved away from them. */
export const name = '036-legal-hold-policies'

export const sql = `
-- JSON: the policies that asked for the legal hold when the snapshot was made. Null of a hold by hand, and of older snapshots.
ALTER TABLE backup_snapshots ADD COLUMN legal_hold_policy_ids TEXT;
`
