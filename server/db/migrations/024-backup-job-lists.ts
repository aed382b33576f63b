/** The list of backups by status is counted from an index alone. */
export const name = '024-backup-job-lists'

export const sql = `
-- The status comes first: what asks for all must not go by it.
CREATE INDEX backup_jobs_status ON backup_jobs (status, org_id, created_at);
`
