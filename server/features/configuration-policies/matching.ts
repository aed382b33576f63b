import type { AssignmentLevel, PolicyStatus } from '../../../shared/api/configuration-policies.ts'
import type { DeviceStatus } from '../../../shared/api/devices.ts'
import type { OsType } from '../../../shared/device/inventory.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { fromJson } from '../../lib/json.ts'
import type { Steps } from '../../lib/pieces.ts'
import { linksOf } from './policies.ts'
import { type Candidate, type Judged, judged, type Traits } from './resolution.ts'
import { type AssignmentRow, linkView } from './views.ts'

/** What decides which policies name a device, and what their filters look at. */
export interface DeviceFacts {
  id: string
  orgId: string
  siteId: string
  osType: OsType
  role: Traits['role']
  status: DeviceStatus
}

/** The policies that name a device, from the one that goes first. */
export interface DevicePolicies {
  device: DeviceFacts
  judged: Judged[]
}

/** Rows read at a time; a few milliseconds. */
const rowsPerRead = 500

const deviceRows = `SELECT id, org_id AS orgId, site_id AS siteId, os_type AS osType, device_role AS role, status
  FROM devices`

/** The policies of one device; undefined where there is no such device. */
export function policiesOfDevice(db: Database, deviceId: string): DevicePolicies | undefined {
  const device = db.statement<DeviceFacts>(`${deviceRows} WHERE id = ?`).get(deviceId)
  if (!device) return undefined
  const places = [
    'assignment.device_id = @device',
    'assignment.group_id IN (SELECT group_id FROM device_group_members WHERE device_id = @device)',
    'assignment.site_id = @site',
    "assignment.org_id = @org AND assignment.level = 'organization'",
    'assignment.partner_id = (SELECT partner_id FROM organizations WHERE id = @org)',
  ]
  const rows = db
    .statement<CandidateRow>(places.map((place) => `${candidateRows} WHERE ${place}`).join(' UNION ALL '))
    .all({ device: deviceId, site: device.siteId, org: device.orgId })
  const policies = new KnownPolicies(db)
  return {
    device,
    judged: judged(
      rows.map((row) => policies.candidate(row)),
      device,
    ),
  }
}

/** The same for every device of an organization that is not decommissioned, with a few queries for hundreds of them. */
export function* policiesInOrganization(
  db: Database,
  orgId: string,
  found: (policies: DevicePolicies) => void,
): Steps<void> {
  const byTarget = yield* candidatesIn(db, orgId)
  if (byTarget.size === 0) return
  const seqs = db
    .statement<number>(`SELECT seq FROM devices INDEXED BY devices_org WHERE org_id = ? AND status <> 'decommissioned'`)
    .pluck()
    .all(orgId)
  for (let at = 0; at < seqs.length; at += rowsPerRead) {
    yield
    const some = JSON.stringify(seqs.slice(at, at + rowsPerRead))
    const devices = db.statement<DeviceFacts>(`${deviceRows} WHERE seq IN (SELECT value FROM json_each(?))`).all(some)
    const groups = groupsOf(db, devices, byTarget)
    yield
    for (const device of devices) {
      const candidates = targetsOf(device, groups.get(device.id) ?? []).flatMap((key) => byTarget.get(key) ?? [])
      if (candidates.length > 0) found({ device, judged: judged(candidates, device) })
      yield
    }
  }
}

/** Of these policies those that are there and active, wherever they are assigned. */
export function activePolicies(db: Database, ids: readonly string[]): Candidate['policy'][] {
  const active = q
    .selectFrom('configuration_policies')
    .select(['id', 'name', 'status'])
    .where('id', 'in', ids)
    .where('status', '=', 'active')
    .orderBy('id')
  return db.all(active).map((row) => ({ ...row, links: linksOf(db, row.id).map(linkView) }))
}

type ByTarget = ReadonlyMap<string, readonly Candidate[]>

const keyOf = (level: AssignmentLevel, targetId: string) => `${level}:${targetId}`
const wholePartner = 'partner'

const targetsOf = ({ id, orgId, siteId }: DeviceFacts, groupIds: readonly string[]): string[] => [
  keyOf('device', id),
  ...groupIds.map((groupId) => keyOf('device_group', groupId)),
  keyOf('site', siteId),
  keyOf('organization', orgId),
  wholePartner,
]

/** Of the groups that something is assigned to, those that each of the devices is in. */
function groupsOf(db: Database, devices: readonly DeviceFacts[], byTarget: ByTarget): Map<string, string[]> {
  const prefix = keyOf('device_group', '')
  const assigned = [...byTarget.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length))
  const groups = new Map<string, string[]>()
  if (assigned.length === 0) return groups
  const memberships = db
    .statement<{ device_id: string; group_id: string }>(
      `SELECT device_id, group_id FROM device_group_members
       WHERE device_id IN (SELECT value FROM json_each(?)) AND group_id IN (SELECT value FROM json_each(?))`,
    )
    .all(JSON.stringify(devices.map(({ id }) => id)), JSON.stringify(assigned))
  for (const { device_id, group_id } of memberships) groups.set(device_id, [...(groups.get(device_id) ?? []), group_id])
  return groups
}

type CandidateRow = Pick<
  AssignmentRow,
  'id' | 'config_policy_id' | 'level' | 'target_id' | 'priority' | 'role_filter' | 'os_filter' | 'created_at'
> & { name: string; status: PolicyStatus }

const candidateRows = `SELECT assignment.id, config_policy_id, level, target_id, priority, role_filter, os_filter,
    assignment.created_at, name, status
  FROM config_policy_assignments AS assignment JOIN configuration_policies AS policy ON policy.id = config_policy_id`

/** Everything that is assigned in an organization, or to all of its company. */
function* candidatesIn(db: Database, orgId: string): Steps<ByTarget> {
  const byTarget = new Map<string, Candidate[]>()
  const policies = new KnownPolicies(db)
  const page = db.statement<CandidateRow>(
    `${candidateRows} WHERE assignment.org_id = ? AND assignment.id > +? ORDER BY assignment.id LIMIT ${rowsPerRead}`,
  )
  const ofPartner = db
    .statement<CandidateRow>(
      `${candidateRows} WHERE assignment.partner_id = (SELECT partner_id FROM organizations WHERE id = ?)`,
    )
    .all(orgId)
  for (let rows = ofPartner, last = ''; ; ) {
    for (const row of rows) {
      const key = row.level === 'partner' ? wholePartner : keyOf(row.level, row.target_id)
      byTarget.set(key, [...(byTarget.get(key) ?? []), policies.candidate(row)])
      yield
    }
    rows = page.all(orgId, last)
    const end = rows.at(-1)
    if (!end) return byTarget
    last = end.id
  }
}

/** Policies with what they say, each read once: all devices share them. */
class KnownPolicies {
  readonly #db: Database
  readonly #known = new Map<string, Candidate['policy']>()

  constructor(db: Database) {
    this.#db = db
  }

  candidate(row: CandidateRow): Candidate {
    return {
      assignmentId: row.id,
      level: row.level,
      targetId: row.target_id,
      priority: row.priority,
      roleFilter: row.role_filter === null ? null : fromJson(row.role_filter),
      osFilter: row.os_filter === null ? null : fromJson(row.os_filter),
      assignedAt: row.created_at,
      policy: this.#policy(row),
    }
  }

  #policy({ config_policy_id: id, name, status }: CandidateRow): Candidate['policy'] {
    const known = this.#known.get(id)
    if (known) return known
    const policy = { id, name, status, links: linksOf(this.#db, id).map(linkView) }
    this.#known.set(id, policy)
    return policy
  }
}
