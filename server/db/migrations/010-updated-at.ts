export const name = '010-updated-at'

const withUpdatedAt = (table: string) => `
ALTER TABLE ${table} ADD COLUMN updated_at TEXT NOT NULL DEFAULT '';
UPDATE ${table} SET updated_at = created_at;
CREATE TRIGGER ${table}_updated_at AFTER INSERT ON ${table} WHEN new.updated_at = ''
BEGIN
  UPDATE ${table} SET updated_at = created_at WHERE id = new.id;
END;
`

export const sql = ['enrollment_keys', 'partner_users', 'organization_users'].map(withUpdatedAt).join('')
