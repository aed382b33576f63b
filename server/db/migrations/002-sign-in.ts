/** Factors, windows, pending addresses and the mail that goes with them. */
export const name = '002-sign-in'

export const sql = `
ALTER TABLE users ADD COLUMN disabled_reason TEXT CHECK (length(disabled_reason) <= 500);
ALTER TABLE users ADD COLUMN email_epoch INTEGER NOT NULL DEFAULT 1;
ALTER TABLE users ADD COLUMN password_reset_epoch INTEGER NOT NULL DEFAULT 1;
-- not unique: who asks for an address must not learn whether somebody else has it
ALTER TABLE users ADD COLUMN pending_email TEXT
  CHECK (length(pending_email) <= 255 AND pending_email = lower(trim(pending_email)));
ALTER TABLE users ADD COLUMN pending_email_requested_at TEXT;
-- the one-time window for enrolling a factor; stamped by the clock of the database
ALTER TABLE users ADD COLUMN mfa_enrollment_grace_granted_at TEXT;
ALTER TABLE users ADD COLUMN mfa_enrollment_deadline TEXT;
ALTER TABLE users ADD COLUMN mfa_enrollment_notice_sent_at TEXT;
ALTER TABLE users ADD COLUMN mfa_enrollment_reminded_at TEXT;
CREATE INDEX users_enrollment_window ON users (mfa_enrollment_deadline)
  WHERE mfa_enrollment_deadline IS NOT NULL AND mfa_enabled = 0;

CREATE TABLE user_passkeys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  credential_id TEXT NOT NULL UNIQUE,
  public_key TEXT NOT NULL,
  counter INTEGER NOT NULL DEFAULT 0 CHECK (counter >= 0),
  -- the host name it was made at: a browser offers it nowhere else
  rp_id TEXT NOT NULL CHECK (length(rp_id) <= 255),
  device_type TEXT NOT NULL CHECK (device_type IN ('singleDevice', 'multiDevice')),
  backed_up INTEGER NOT NULL CHECK (backed_up IN (0, 1)),
  transports TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(transports)),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  aaguid TEXT CHECK (length(aaguid) <= 36),
  last_used_at TEXT,
  disabled_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX user_passkeys_user ON user_passkeys (user_id, created_at);

CREATE INDEX one_time_secrets_user ON one_time_secrets (user_id, kind);

-- what a mail is made of, without the links in it: those are made when it is sent and open accounts
CREATE TABLE mail_messages (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  recipient TEXT NOT NULL CHECK (length(recipient) <= 255),
  data TEXT NOT NULL CHECK (json_valid(data)),
  status TEXT NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'sent', 'failed', 'expired')),
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at TEXT,
  last_error TEXT,
  -- when its link dies; a mail that could not be sent before is not sent at all
  expires_at TEXT,
  sent_at TEXT,
  created_at TEXT NOT NULL,
  CHECK ((status = 'queued') = (next_attempt_at IS NOT NULL))
) STRICT;
CREATE INDEX mail_messages_due ON mail_messages (next_attempt_at) WHERE status = 'queued';
CREATE INDEX mail_messages_created ON mail_messages (created_at, id);
`
