import type { Insertable, Selectable, UpdateObject } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Tables } from '../../../tables.ts'
import type { UserTable } from '../tables.ts'

export type User = Selectable<UserTable>
/** Columns to change; a value may be an SQL expression. */
export type UserChange = UpdateObject<Tables, 'users'>

export const findUserByEmail = (db: Database, email: string): User | undefined =>
  db.first(q.selectFrom('users').selectAll().where('email', '=', email))

export const findUser = (db: Database, id: string): User | undefined =>
  db.first(q.selectFrom('users').selectAll().where('id', '=', id))

/** @throws Error where there is no such user */
export const getUser = (db: Database, id: string): User =>
  db.one(q.selectFrom('users').selectAll().where('id', '=', id))

export const anyUserExists = (db: Database): boolean =>
  db.first(q.selectFrom('users').select('id').limit(1)) !== undefined

export const insertUser = (db: Database, user: Insertable<UserTable>): void =>
  void db.run(q.insertInto('users').values(user))

/** Changes one account. Callers set `updated_at` themselves where the change counts as an edit of the account. */
export const updateUser = (db: Database, id: string, change: UserChange): void =>
  void db.run(q.updateTable('users').set(change).where('id', '=', id))
