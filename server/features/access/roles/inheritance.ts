import type { Grant } from '../../../../shared/permissions.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { findRole, ownGrants, type Role } from './store.ts'

/** A role and its parents, nearest first. A cycle, which no endpoint can make, ends where it closes. */
export function chainOf(db: Database, role: Role): Role[] {
  const chain = [role]
  for (let above = parentOf(db, role); above && !chain.some(({ id }) => id === above?.id); above = parentOf(db, above))
    chain.push(above)
  return chain
}

const parentOf = (db: Database, { parent_role_id }: Role): Role | undefined =>
  parent_role_id === null ? undefined : findRole(db, parent_role_id)

/** A role and every role that inherits from it, however far below. */
export const withDescendants = (db: Database, id: string): string[] =>
  db
    .statement<string>(
      `WITH RECURSIVE descendants (id) AS (
         SELECT +? UNION SELECT roles.id FROM roles JOIN descendants ON roles.parent_role_id = descendants.id
       ) SELECT id FROM descendants`,
    )
    .pluck()
    .all(id)

/** Every level makes resolving the grants of the lowest role slower, and that happens while other requests wait. */
export const maxLevels = 50

/** How many levels there are from this role down, itself included; counting stops at `maxLevels + 1`. */
export const levelsBelow = (db: Database, id: string): number =>
  db
    .statement<number>(
      `WITH RECURSIVE descendants (id, level) AS (
         SELECT +?, 1 UNION SELECT roles.id, level + 1 FROM roles JOIN descendants ON roles.parent_role_id = descendants.id
         WHERE level <= ${maxLevels}
       ) SELECT max(level) FROM descendants`,
    )
    .pluck()
    .get(id) ?? 1

/** Ids of the roles that grant, by themselves or through their parents, a permission for which `matches` is true. */
export function rolesGranting(db: Database, matches: (grant: Grant) => boolean): Set<string> {
  const permissions = db.all(q.selectFrom('permissions').selectAll()).filter(matches)
  if (permissions.length === 0) return new Set()
  const granting = db
    .statement<string>(
      `WITH RECURSIVE granting (id) AS (
         SELECT role_id FROM role_permissions WHERE permission_id IN (SELECT value FROM json_each(?))
         UNION SELECT roles.id FROM roles JOIN granting ON roles.parent_role_id = granting.id
       ) SELECT id FROM granting`,
    )
    .pluck()
    .all(JSON.stringify(permissions.map(({ id }) => id)))
  return new Set(granting)
}

interface SourcedGrant extends Grant {
  inherited: boolean
  sourceRoleId: string
  sourceRoleName: string
}

/** All that a role grants, each permission with the nearest role in the chain that grants it. */
export function sourcedGrants(db: Database, chain: readonly Role[]): SourcedGrant[] {
  const nearest = new Map<string, SourcedGrant>()
  for (const [distance, { id, name }] of chain.entries())
    for (const { resource, action } of ownGrants(db, id)) {
      const key = `${resource}:${action}`
      if (nearest.has(key)) continue
      nearest.set(key, { resource, action, inherited: distance > 0, sourceRoleId: id, sourceRoleName: name })
    }
  return [...nearest.values()].toSorted((a, b) => compare(a.resource, b.resource) || compare(a.action, b.action))
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))
