import type { Database, TableName } from '../../db/database.ts'
import { type Custom, collides, ofLoser, type Pair } from './policy.ts'

/** Tables of which more has to be said than that their rows move. */

const count = (db: Database, statement: string, pair: Pair): number =>
  db.statement<number>(statement).pluck().get(pair) ?? 0

export const counted = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`

const primary = 'site_id IS NULL AND is_primary = 1'
const sparePrimary = `${ofLoser} AND ${primary} AND EXISTS (
  SELECT 1 FROM contacts AS kept WHERE kept.org_id = +@survivor AND kept.site_id IS NULL AND kept.is_primary = 1)`

/** None is dropped, but an organization has at most one primary contact. */
const contacts: Custom = {
  prepare: {
    outcome: 'changed',
    run: (journal, maxRows) =>
      journal.change('contacts', { is_primary: '0', updated_at: '@now' }, sparePrimary, maxRows),
  },
  warnings(db, pair) {
    const demoted = count(db, `SELECT count(*) FROM contacts WHERE ${sparePrimary}`, pair)
    const alike = count(
      db,
      `SELECT count(*) FROM contacts WHERE ${ofLoser} AND email IN
         (SELECT email FROM contacts WHERE org_id = +@survivor AND email IS NOT NULL)`,
      pair,
    )
    return [
      ...(demoted > 0
        ? [`${demoted} primary contact becomes an ordinary one: the organization that stays has a primary contact`]
        : []),
      ...(alike > 0
        ? [
            `${counted(alike, 'contact has', 'contacts have')} an email address that a contact of the organization that stays has too; none is dropped`,
          ]
        : []),
    ]
  },
}

const inBoth = collides('organization_users', ['user_id'])
const theseUsers = `user_id IN (SELECT user_id FROM organization_users WHERE ${inBoth} ORDER BY user_id LIMIT @maxRows)`

/** Of a list of ids in both memberships of somebody; null, which is no confinement at all, wins. */
const united = (column: 'site_ids' | 'device_group_ids') =>
  `(SELECT iif(kept IS NULL OR lost.${column} IS NULL, NULL, (SELECT json_group_array(value) FROM
     (SELECT value FROM json_each(kept) UNION SELECT value FROM json_each(lost.${column}))))
   FROM (SELECT organization_users.${column} AS kept), organization_users AS lost
   WHERE lost.${ofLoser} AND lost.user_id = organization_users.user_id)`

/** A member of both keeps the survivor's role, and may reach what the two memberships allowed together. */
const memberships: Custom = {
  prepare: {
    outcome: 'dropped',
    run(journal, maxRows) {
      const lists = { site_ids: united('site_ids'), device_group_ids: united('device_group_ids'), updated_at: '@now' }
      journal.change('organization_users', lists, `org_id = +@survivor AND ${theseUsers}`, maxRows)
      return journal.drop('organization_users', `${ofLoser} AND ${theseUsers}`, maxRows)
    },
  },
  set: { updated_at: '@now' },
  drops: inBoth,
  warnings(db, pair) {
    const people = db
      .statement<{ email: string; kept: string; lost: string }>(
        `SELECT email, ours.name AS kept, theirs.name AS lost FROM organization_users AS gone
           JOIN organization_users AS stays ON stays.org_id = +@survivor AND stays.user_id = gone.user_id
           JOIN users ON users.id = gone.user_id
           JOIN roles AS ours ON ours.id = stays.role_id
           JOIN roles AS theirs ON theirs.id = gone.role_id
         WHERE gone.org_id = +@loser AND ours.id <> theirs.id ORDER BY email`,
      )
      .all(pair)
    return people.map(({ email, kept, lost }) => `${email} is in both: the role "${kept}" stays, "${lost}" goes`)
  },
}

const live = '(expires_at IS NULL OR expires_at > @now)'

/** They enroll nobody any more. */
const enrollmentKeys: Custom = {
  set: { expires_at: `iif(${live}, @now, expires_at)`, updated_at: '@now' },
  warnings(db, pair) {
    const living = count(db, `SELECT count(*) FROM enrollment_keys WHERE ${ofLoser} AND ${live}`, pair)
    return living > 0 ? [`${counted(living, 'enrollment key', 'enrollment keys')} can no longer be used`] : []
  },
}

/** Their users must hear of the new organization, and get a new one there. */
const apiKeys: Custom = {
  set: { status: `iif(status = 'active', 'revoked', status)` },
  warnings(db, pair) {
    const active = count(db, `SELECT count(*) FROM api_keys WHERE ${ofLoser} AND status = 'active'`, pair)
    return active > 0 ? [`${counted(active, 'API key', 'API keys')} will be revoked`] : []
  },
}

/** Switched off: administrators of the surviving organization decide whether to use them. */
const ssoProviders: Custom = {
  set: { status: `'inactive'`, enforce_sso: '0', config_version: 'config_version + 1' },
  warnings(db, pair) {
    const used = count(db, `SELECT count(*) FROM sso_providers WHERE ${ofLoser} AND status <> 'inactive'`, pair)
    return used > 0
      ? [
          `${counted(used, 'single sign-on provider', 'single sign-on providers')} will be switched off: nobody signs in that way until that is changed`,
        ]
      : []
  },
}

const defaultStorage = 'is_default = 1'
const spareDefault = `${ofLoser} AND ${defaultStorage} AND EXISTS (
  SELECT 1 FROM backup_configs AS kept WHERE kept.org_id = +@survivor AND kept.${defaultStorage})`

/** None is dropped, but an organization has at most one that is the default. */
const backupConfigs: Custom = {
  prepare: {
    outcome: 'changed',
    run: (journal, maxRows) =>
      journal.change('backup_configs', { is_default: '0', updated_at: '@now' }, spareDefault, maxRows),
  },
  warnings(db, pair) {
    const demoted = count(db, `SELECT count(*) FROM backup_configs WHERE ${spareDefault}`, pair)
    return demoted > 0
      ? ['Its default storage for backups becomes an ordinary one: the organization that stays has a default']
      : []
  },
}

/** A policy of the partner may be assigned to both organizations; there it is assigned once. */
const sparePolicyAssignment = `${ofLoser} AND level = 'organization' AND EXISTS (
  SELECT 1 FROM config_policy_assignments AS kept
  WHERE kept.config_policy_id = config_policy_assignments.config_policy_id
    AND kept.level = 'organization' AND kept.target_id = +@survivor)`

const policyAssignments: Custom = {
  prepare: {
    outcome: 'dropped',
    run: (journal, maxRows) => journal.drop('config_policy_assignments', sparePolicyAssignment, maxRows),
  },
  drops: sparePolicyAssignment,
  warnings: () => [],
}

/** Of every table whose policy is `custom`. */
export const customMerges: Partial<Record<TableName, Custom>> = {
  organization_users: memberships,
  enrollment_keys: enrollmentKeys,
  api_keys: apiKeys,
  sso_providers: ssoProviders,
  backup_configs: backupConfigs,
  config_policy_assignments: policyAssignments,
  contacts,
}
