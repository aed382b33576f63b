import { sql } from 'kysely'
import type { Grant } from '../../../../shared/permissions.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { findRole, type Role } from '../users/store.ts'

/** A role and the roles above it, nearest first; a circle, which nothing here can make, ends where it closes. */
export function chainOf(db: Database, role: Role): Role[] {
  const chain = [role]
  for (let above = parentOf(db, role); above && !chain.some(({ id }) => id === above?.id); above = parentOf(db, above))
    chain.push(above)
  return chain
}

const parentOf = (db: Database, { parent_role_id }: Role): Role | undefined =>
  parent_role_id === null ? undefined : findRole(db, parent_role_id)

/** A role and every role that inherits from it, however far below. */
export const withHeirs = (db: Database, id: string): string[] =>
  db
    .statement(
      `WITH RECURSIVE heirs (id) AS (
         SELECT +? UNION SELECT roles.id FROM roles JOIN heirs ON roles.parent_role_id = heirs.id
       ) SELECT id FROM heirs`,
    )
    .pluck()
    .all(id) as string[]

/** With every level, whatever is asked of those at the bottom takes longer, and everybody waits for it. */
export const maxLevels = 50

/** How many levels of roles there are from this one down, itself included; counted to one more than there may be. */
export const levelsBelow = (db: Database, id: string): number =>
  db
    .statement(
      `WITH RECURSIVE heirs (id, level) AS (
         SELECT +?, 1 UNION SELECT roles.id, level + 1 FROM roles JOIN heirs ON roles.parent_role_id = heirs.id
         WHERE level <= ${maxLevels}
       ) SELECT max(level) FROM heirs`,
    )
    .pluck()
    .get(id) as number

/** Every role that gives one of these permissions, by itself or through those above it; circles do no harm. */
export function rolesGiving(db: Database, isMeant: (grant: Grant) => boolean): Set<string> {
  const permissions = db.all(q.selectFrom('permissions').selectAll()).filter(isMeant)
  if (permissions.length === 0) return new Set()
  const giving = db
    .statement(
      `WITH RECURSIVE giving (id) AS (
         SELECT role_id FROM role_permissions WHERE permission_id IN (SELECT value FROM json_each(?))
         UNION SELECT roles.id FROM roles JOIN giving ON roles.parent_role_id = giving.id
       ) SELECT id FROM giving`,
    )
    .pluck()
    .all(JSON.stringify(permissions.map(({ id }) => id)))
  return new Set(giving as string[])
}

/** What a role permits by itself. */
export const ownGrants = (db: Database, roleId: string): Grant[] =>
  db.all(
    q
      .selectFrom('role_permissions')
      .innerJoin('permissions', 'permissions.id', 'role_permissions.permission_id')
      .select(['resource', 'action'])
      .where('role_id', '=', roleId)
      .orderBy('resource')
      .orderBy('action'),
  )

/** Replaces what a role permits by itself with grants of the catalogue; naming one twice is naming it once. */
export function writeGrants(db: Database, roleId: string, grants: readonly Grant[]): void {
  db.run(q.deleteFrom('role_permissions').where('role_id', '=', roleId))
  const wanted = sql`select value ->> 'resource', value ->> 'action' from json_each(${JSON.stringify(grants)})`
  db.run(
    q
      .insertInto('role_permissions')
      .columns(['role_id', 'permission_id'])
      .expression(
        q
          .selectFrom('permissions')
          .select([sql<string>`${roleId}`.as('role_id'), 'id'])
          .where(sql<boolean>`(resource, action) in (${wanted})`),
      ),
  )
}

interface SourcedGrant extends Grant {
  inherited: boolean
  sourceRoleId: string
  sourceRoleName: string
}

/** All that a role permits, each permission from the nearest role that gives it. */
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
