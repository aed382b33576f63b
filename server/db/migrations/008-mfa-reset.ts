export const name = '008-mfa-reset'

export const sql = `
-- an administrator removed their factors then; until they enrol another one they are asked for it
ALTER TABLE users ADD COLUMN mfa_reset_at TEXT;
`
