import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { reachesOrg, reachesSite, type UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import { operableOrganization } from '../organization-access/index.ts'
import { findGroup, type GroupRow } from './store.ts'

/** The group if the actor sees it: another organization's is not found, another site's is forbidden. */
export function findGroupToRead(db: Database, actor: UserActor, id: string): GroupRow {
  const group = findGroup(db, id)
  if (!group || !reachesOrg(actor, group.org_id) || !reachesGroup(actor, id)) throw new AppError('group_not_found')
  if (!reachesSite(actor, group.site_id)) throw new AppError('site_access_denied')
  return group
}

export function findGroupToWrite(db: Database, actor: UserActor, id: string): GroupRow {
  const group = findGroup(db, id)
  if (!group || !reachesGroup(actor, id)) throw new AppError('group_not_found')
  operableOrganization(db, actor, group.org_id, 'group_not_found')
  assertGroupWriter(actor)
  if (!reachesSite(actor, group.site_id)) throw new AppError('site_access_denied')
  return group
}

/** Users confined to groups could otherwise widen their own confinement. @throws AppError `group_access_denied` */
export function assertGroupWriter({ groups }: UserActor): void {
  if (groups !== null) throw new AppError('group_access_denied')
}

const reachesGroup = ({ groups }: UserActor, id: string) => groups === null || groups.has(id)

/**
 * A group holds devices of its organization and, if it has one, of its site.
 * @throws AppError `group_devices_invalid` naming those that are not
 */
export function assertFitting(db: Database, group: Pick<GroupRow, 'org_id' | 'site_id'>, ids: readonly string[]): void {
  const { org_id, site_id } = group
  let fitting = q
    .selectFrom('devices')
    .select('id')
    .where(sql<boolean>`id in (select value from json_each(${JSON.stringify(ids)}))`)
    .where('org_id', '=', org_id)
  if (site_id !== null) fitting = fitting.where('site_id', '=', site_id)
  const found = new Set(db.all(fitting).map(({ id }) => id))
  const invalidDevices = ids.filter((id) => !found.has(id))
  if (invalidDevices.length > 0) throw new AppError('group_devices_invalid', { invalidDevices })
}
