/** The list of backups is counted from an index alone: of all, by status, and for those who see some sites only. */
export const name = '028-backup-job-lists'

export const sql = `
DROP INDEX backup_jobs_org;
CREATE INDEX backup_jobs_org ON backup_jobs (org_id, created_at, device_id);
-- The status comes first: what asks for all must not go by it.
CREATE INDEX backup_jobs_status ON backup_jobs (status, org_id, created_at, device_id);
`
