import type { Database } from '../../db/database.ts'
import { fromJson, toJson } from '../../lib/json.ts'
import type { Steps } from '../../lib/pieces.ts'
import { AppError } from '../../platform/errors.ts'
import type { SlaConfigRow } from './views.ts'

/** Which devices something is promised about. */

type Named = Pick<SlaConfigRow, 'org_id' | 'target_devices' | 'target_groups'>

/**
 * Ids of devices in service: those that are named and the members of the groups that are named, or else every device that
 * a policy protects.
 */
export function* targetsOf(db: Database, config: Named): Steps<Set<string>> {
  const groupIds = fromJson(config.target_groups)
  if (groupIds.length === 0 && fromJson(config.target_devices).length === 0)
    return new Set(
      db.statement<string>('SELECT device_id FROM backup_watches WHERE org_id = ?').pluck().all(config.org_id),
    )
  const found = new Set(db.statement<string>(named).pluck().all(config.target_devices, config.org_id))
  for (const groupId of groupIds) {
    yield
    for (const id of db.statement<string>(inGroup).pluck().all(groupId, config.org_id)) found.add(id)
  }
  return found
}

const inService = `devices.org_id = ? AND devices.status NOT IN ('decommissioned', 'quarantined')`

const named = `SELECT devices.id FROM json_each(?) AS wanted JOIN devices ON devices.id = wanted.value WHERE ${inService}`

const inGroup = `
  SELECT devices.id FROM device_group_members AS member JOIN devices ON devices.id = member.device_id
  WHERE member.group_id = ? AND ${inService}`

interface Wanted {
  targetDevices?: readonly string[] | undefined
  targetGroups?: readonly string[] | undefined
}

/**
 * What is named already may have left the organization since, and may stay named.
 * @throws AppError `sla_target_unknown`
 */
export function assertOfOrganization(db: Database, orgId: string, wanted: Wanted, before?: Named): void {
  const isStrange = (
    table: 'devices' | 'device_groups',
    ids: readonly string[] = [],
    known: readonly string[] = [],
  ) => {
    const isKnown = new Set(known)
    const added = toJson(ids.filter((id) => !isKnown.has(id)))
    return db
      .statement(
        `SELECT 1 FROM json_each(?) AS wanted
         WHERE NOT EXISTS (SELECT 1 FROM ${table} WHERE id = wanted.value AND org_id = ?)`,
      )
      .get(added, orgId)
  }
  if (
    isStrange('devices', wanted.targetDevices, before && fromJson(before.target_devices)) ||
    isStrange('device_groups', wanted.targetGroups, before && fromJson(before.target_groups))
  )
    throw new AppError('sla_target_unknown')
}
