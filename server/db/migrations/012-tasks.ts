/** One table for all durable background work. */
export const name = '012-tasks'

export const sql = `
CREATE TABLE tasks (
  -- the order in which they were added; none is used twice, or an attempt at one that is gone could end another one
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  -- of those with the same key one runs at a time, whatever their kinds
  key TEXT,
  org_id TEXT,
  partner_id TEXT,
  requested_by TEXT,
  state TEXT NOT NULL DEFAULT 'waiting'
    CHECK (state IN ('waiting', 'active', 'completed', 'failed', 'cancelled', 'expired')),
  input TEXT NOT NULL CHECK (json_valid(input)),
  progress TEXT CHECK (progress IS NULL OR json_valid(progress)),
  result TEXT CHECK (result IS NULL OR json_valid(result)),
  -- in words that may be shown
  error TEXT,
  -- how often it was started
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at TEXT,
  -- of a task that runs: when it is taken for lost
  lease_until TEXT,
  -- not done by then, it is given up
  deadline_at TEXT,
  cancel_requested INTEGER NOT NULL DEFAULT 0 CHECK (cancel_requested IN (0, 1)),
  created_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT,
  CHECK ((state = 'waiting') = (due_at IS NOT NULL)),
  CHECK ((state = 'active') = (lease_until IS NOT NULL)),
  CHECK ((state IN ('waiting', 'active')) = (finished_at IS NULL))
) STRICT;
CREATE INDEX tasks_open ON tasks (kind, due_at, seq) WHERE finished_at IS NULL;
CREATE UNIQUE INDEX tasks_running_key ON tasks (key) WHERE key IS NOT NULL AND lease_until IS NOT NULL;
CREATE INDEX tasks_leases ON tasks (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX tasks_deadlines ON tasks (deadline_at) WHERE deadline_at IS NOT NULL AND finished_at IS NULL;
CREATE INDEX tasks_kind ON tasks (kind, seq, state);
CREATE INDEX tasks_finished ON tasks (finished_at, kind, state) WHERE finished_at IS NOT NULL;
CREATE INDEX tasks_failed ON tasks (seq) WHERE state = 'failed';
CREATE INDEX tasks_org ON tasks (org_id) WHERE org_id IS NOT NULL;

-- the outbox: what its errors say may be secret
INSERT INTO tasks (id, kind, input, attempts, due_at, created_at)
  SELECT 'outbox-' || id,
    CASE kind
      WHEN 'registration-wanted' THEN 'registration.answer'
      WHEN 'password-reset-wanted' THEN 'password-reset.answer'
      WHEN 'account-locked' THEN 'account.announce-lock'
      WHEN 'audit' THEN 'audit.write'
      ELSE kind
    END,
    payload, attempts, next_attempt_at, created_at
  FROM outbox ORDER BY id;
DROP TABLE outbox;

-- mail
INSERT INTO tasks (id, kind, state, input, error, attempts, due_at, deadline_at, created_at, finished_at)
  SELECT id, 'mail.send',
    CASE status WHEN 'queued' THEN 'waiting' WHEN 'sent' THEN 'completed' ELSE status END,
    json_object('kind', kind, 'to', recipient, 'data', json(data)),
    last_error, attempts, next_attempt_at, expires_at, created_at,
    iif(status = 'queued', NULL, coalesce(sent_at, created_at))
  FROM mail_messages ORDER BY created_at, id;
DROP TABLE mail_messages;

-- merges and erasures; one that was under way is started again, and sees that it was
INSERT INTO tasks (id, kind, key, org_id, partner_id, requested_by, state, input, progress, result, error, attempts,
    due_at, created_at, started_at, finished_at)
  SELECT id, iif(kind = 'merge', 'organization.merge', 'organization.erase'), 'partner ' || partner_id,
    org_id, partner_id, requested_by, iif(state = 'active', 'waiting', state),
    input, nullif(progress, '{}'), result, failed_reason, attempts,
    iif(state IN ('waiting', 'active'), created_at, NULL), created_at, started_at,
    iif(state IN ('waiting', 'active'), NULL, coalesce(finished_at, created_at))
  FROM tenant_jobs ORDER BY created_at, id;

CREATE TABLE org_merge_undo_before AS SELECT * FROM org_merge_undo;
DROP TABLE org_merge_undo;
CREATE TABLE org_merge_undo (
  seq INTEGER PRIMARY KEY,
  job_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
  table_name TEXT NOT NULL,
  row_id TEXT NOT NULL,
  -- the columns a merge has changed, or the whole row it has deleted
  before TEXT NOT NULL CHECK (json_valid(before)),
  is_deleted INTEGER NOT NULL DEFAULT 0 CHECK (is_deleted IN (0, 1))
) STRICT;
CREATE INDEX org_merge_undo_job ON org_merge_undo (job_id, seq);
INSERT INTO org_merge_undo SELECT * FROM org_merge_undo_before;
DROP TABLE org_merge_undo_before;

DROP TRIGGER audit_logs_no_delete;
DROP TABLE tenant_jobs;
CREATE TRIGGER audit_logs_no_delete BEFORE DELETE ON audit_logs
WHEN NOT EXISTS (
  SELECT 1 FROM tasks WHERE +kind = 'organization.erase' AND state = 'active' AND org_id = old.org_id
) AND NOT EXISTS (
  SELECT 1 FROM audit_chains WHERE coalesce(partner_id, '') = coalesce(old.partner_id, '')
    AND coalesce(org_id, '') = coalesce(old.org_id, '') AND first_seq > old.seq
)
BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;
`
