import { sql } from 'kysely'
import type { ApiKey } from '../../../shared/api/api-keys.ts'
import type { Database } from '../../db/database.ts'
import { contains } from '../../db/like.ts'
import { q } from '../../db/query.ts'
import { fromJson } from '../../lib/json.ts'
import { iso } from '../../platform/clock.ts'
import { backingOf, type KeyRow } from './creators.ts'
import type { KeyUses } from './uses.ts'

/** The status at `now` (ISO 8601): a key is expired from its `expires_at` on, whether it was used since or not. */
export const statusAt = (now: string) =>
  sql<KeyRow['status']>`iif(api_keys.status = 'active' and api_keys.expires_at <= ${now}, 'expired', api_keys.status)`

/** The text anywhere in the name of the key, or as the beginning of its prefix. */
export const matchesText = (text: string) =>
  sql<boolean>`(${contains(sql.ref('api_keys.name'), text)}
    or lower(substr(api_keys.key_prefix, 1, length(${text}))) = lower(${text}))`

export interface NamedRow extends KeyRow {
  status_now: KeyRow['status']
  org_name: string
  creator_name: string
}

/** Keys with the names of their organization and creator. */
export const namedKeys = (now: string) =>
  q
    .selectFrom('api_keys')
    .innerJoin('organizations', 'organizations.id', 'api_keys.org_id')
    .innerJoin('users', 'users.id', 'api_keys.created_by')
    .selectAll('api_keys')
    .select(['organizations.name as org_name', 'users.name as creator_name'])
    .select(statusAt(now).as('status_now'))

export function keyView(db: Database, uses: KeyUses, row: NamedRow): ApiKey {
  const unsaved = uses.unsavedOf(row.id)
  return {
    id: row.id,
    orgId: row.org_id,
    orgName: row.org_name,
    name: row.name,
    keyPrefix: row.key_prefix,
    scopes: fromJson(row.scopes),
    expiresAt: row.expires_at,
    lastUsedAt: unsaved.lastAt === null ? row.last_used_at : iso(unsaved.lastAt),
    usageCount: row.usage_count + unsaved.count,
    rateLimit: row.rate_limit,
    createdBy: row.created_by,
    createdByName: row.creator_name,
    status: row.status_now,
    problem: row.status_now === 'active' ? backingOf(db, row).problem : null,
    source: row.source,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
