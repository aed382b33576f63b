/** One table for all durable background work. */
export const name = '012-tasks'

export const sql = `
CREATE TABLE tasks (
  -- the order in which they were added
  seq INTEGER PRIMARY KEY,
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
CREATE INDEX tasks_finished ON tasks (kind, finished_at) WHERE finished_at IS NOT NULL;
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
`
