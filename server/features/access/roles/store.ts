import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Grant } from '../../../../shared/permissions.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { RoleTable } from '../tables.ts'

export type Role = Selectable<RoleTable>

export const findRole = (db: Database, id: string): Role | undefined =>
  db.first(q.selectFrom('roles').selectAll().where('id', '=', id))

const grantsOfChain = `WITH RECURSIVE chain (id) AS (
    SELECT +? UNION SELECT roles.parent_role_id FROM chain JOIN roles ON roles.id = chain.id
  ) SELECT resource, action FROM permissions
    WHERE id IN (SELECT permission_id FROM role_permissions WHERE role_id IN (SELECT id FROM chain))
    ORDER BY resource, action`

/** Grants of a role and of all roles it inherits from; a cycle of parents ends where it closes. */
export const findGrants = (db: Database, roleId: string): Grant[] => db.statement<Grant>(grantsOfChain).all(roleId)

/** What a role grants by itself, without its parents. */
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

export const insertRole = (db: Database, role: Insertable<RoleTable>): void =>
  void db.run(q.insertInto('roles').values(role))

export const updateRole = (db: Database, id: string, change: Updateable<RoleTable>): void =>
  void db.run(q.updateTable('roles').set(change).where('id', '=', id))

export function deleteRole(db: Database, id: string): void {
  db.run(q.deleteFrom('role_permissions').where('role_id', '=', id))
  db.run(q.deleteFrom('roles').where('id', '=', id))
}

/** Replaces what a role grants by itself with grants of the catalog; a grant that is named twice counts once. */
export function writeGrants(db: Database, roleId: string, grants: readonly Grant[]): void {
  db.run(q.deleteFrom('role_permissions').where('role_id', '=', roleId))
  const pairs = sql`select value ->> 'resource', value ->> 'action' from json_each(${JSON.stringify(grants)})`
  db.run(
    q
      .insertInto('role_permissions')
      .columns(['role_id', 'permission_id'])
      .expression(
        q
          .selectFrom('permissions')
          .select([sql<string>`${roleId}`.as('role_id'), 'id'])
          .where(sql<boolean>`(resource, action) in (${pairs})`),
      ),
  )
}
