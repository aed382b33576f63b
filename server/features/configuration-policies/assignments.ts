import { randomUUIDv7 } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type {
  assignmentsOfTarget,
  assignPolicy,
  listAssignments,
  PolicyAssignment,
} from '../../../shared/api/configuration-policies.ts'
import type { BodyOf, QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { isOrgWithin } from '../../db/tenancy.ts'
import { toJson } from '../../lib/json.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { isOwnerSeen } from '../organization-access/index.ts'
import { eventAbout, findPolicyToRead, findPolicyToWrite, touchPolicy } from './policy-access.ts'
import { targetColumns } from './targets.ts'
import { assignmentView } from './views.ts'

interface AssignmentServices {
  db: Database
  clock: Clock
  audit: Audit
}

/** They are listed, and go with their policy, in one go; groups and sites are there for more. */
const maxAssignments = 1000

/** Where policies are assigned. An assignment goes with its policy and with its target. */
export class Assignments {
  readonly #services: AssignmentServices

  constructor(services: AssignmentServices) {
    this.#services = services
  }

  list(actor: UserActor, policyId: string): ReplyOf<typeof listAssignments> {
    const { db } = this.#services
    const { id } = findPolicyToRead(db, actor, policyId)
    const rows = db.all(
      assignmentRows()
        .where('assignment.config_policy_id', '=', id)
        .where(isTargetSeen(actor))
        .orderBy('assignment.id'),
    )
    return { data: rows.map(assignmentView) }
  }

  ofTarget(
    actor: UserActor,
    { level, targetId }: QueryOf<typeof assignmentsOfTarget>,
  ): ReplyOf<typeof assignmentsOfTarget> {
    const rows = this.#services.db.all(
      assignmentRows()
        .where(sql.ref(`assignment.${columnOf[level]}`), '=', targetId)
        .where('assignment.level', '=', level)
        .where(isOwnerSeen(actor, 'configuration_policies'))
        .where(isTargetSeen(actor))
        .orderBy('assignment.priority')
        .orderBy('assignment.id'),
    )
    return { data: rows.map(assignmentView) }
  }

  assign(actor: UserActor, policyId: string, wanted: BodyOf<typeof assignPolicy>): PolicyAssignment {
    const { db, clock, audit } = this.#services
    return db.transaction(() => {
      const policy = findPolicyToWrite(db, actor, policyId)
      const columns = targetColumns(db, actor, policy, wanted)
      this.#assertNew(policyId, wanted.level, columns[columnOf[wanted.level]] ?? '')
      const id = randomUUIDv7()
      db.run(
        q.insertInto('config_policy_assignments').values({
          ...columns,
          id,
          config_policy_id: policyId,
          level: wanted.level,
          priority: wanted.priority,
          role_filter: wanted.roleFilter && toJson(wanted.roleFilter),
          os_filter: wanted.osFilter && toJson(wanted.osFilter),
          assigned_by: actor.userId,
          created_at: isoNow(clock),
        }),
      )
      touchPolicy(db, clock, policyId)
      const made = assignmentView(db.one(assignmentRows().where('assignment.id', '=', id)))
      audit(actor, { action: 'config_policy.assign', ...eventAbout(policy), details: toldOf(made) })
      return made
    })
  }

  unassign(actor: UserActor, policyId: string, id: string): void {
    const { db, clock, audit } = this.#services
    db.transaction(() => {
      const policy = findPolicyToWrite(db, actor, policyId)
      const row = db.first(
        assignmentRows().where('assignment.id', '=', id).where('assignment.config_policy_id', '=', policyId),
      )
      if (!row) throw new AppError('policy_assignment_not_found')
      db.run(q.deleteFrom('config_policy_assignments').where('id', '=', id))
      touchPolicy(db, clock, policyId)
      audit(actor, { action: 'config_policy.unassign', ...eventAbout(policy), details: toldOf(assignmentView(row)) })
    })
  }

  /** A device goes to another organization of its company: only policies of the company still reach it. */
  deviceMoves({ deviceId, toOrgId }: { deviceId: string; toOrgId: string }): void {
    const { db } = this.#services
    const ofOrganizations = q.selectFrom('configuration_policies').select('id').where('org_id', 'is not', null)
    db.run(
      q
        .deleteFrom('config_policy_assignments')
        .where('device_id', '=', deviceId)
        .where('config_policy_id', 'in', ofOrganizations),
    )
    db.run(q.updateTable('config_policy_assignments').set({ org_id: toOrgId }).where('device_id', '=', deviceId))
  }

  /** @throws AppError 409 */
  #assertNew(policyId: string, level: PolicyAssignment['level'], targetId: string): void {
    const { db } = this.#services
    const ofPolicy = q.selectFrom('config_policy_assignments').where('config_policy_id', '=', policyId)
    if (db.first(ofPolicy.select('id').where('level', '=', level).where('target_id', '=', targetId)))
      throw new AppError('policy_assignment_exists')
    const { total } = db.one(ofPolicy.select((select) => select.fn.countAll<number>().as('total')))
    if (total >= maxAssignments) throw new AppError('policy_assignment_limit', { max: maxAssignments })
  }
}

const columnOf = {
  partner: 'partner_id',
  organization: 'org_id',
  site: 'site_id',
  device_group: 'group_id',
  device: 'device_id',
} as const

const toldOf = ({ level, targetId, targetName, priority, roleFilter, osFilter }: PolicyAssignment) => ({
  ...{ level, targetId, targetName, priority },
  ...(roleFilter && { roleFilter }),
  ...(osFilter && { osFilter }),
})

/** With the names of policy and target. */
const assignmentRows = () =>
  q
    .selectFrom('config_policy_assignments as assignment')
    .innerJoin('configuration_policies', 'configuration_policies.id', 'assignment.config_policy_id')
    .leftJoin('organizations', 'organizations.id', 'assignment.org_id')
    .leftJoin('sites', 'sites.id', 'assignment.site_id')
    .leftJoin('device_groups', 'device_groups.id', 'assignment.group_id')
    .leftJoin('devices', 'devices.id', 'assignment.device_id')
    .selectAll('assignment')
    .select('configuration_policies.name as policy_name')
    .select(targetName.as('target_name'))

const targetName = sql<string | null>`CASE assignment.level
  WHEN 'organization' THEN organizations.name
  WHEN 'site' THEN sites.name
  WHEN 'device_group' THEN device_groups.name
  WHEN 'device' THEN coalesce(devices.display_name, devices.hostname)
END`

/** Of a policy of the company, somebody with selected organizations sees what is in these. */
const isTargetSeen = ({ orgs }: UserActor): RawBuilder<boolean> =>
  sql<boolean>`(assignment.org_id is null or ${isOrgWithin(orgs, sql.ref('assignment.org_id'))})`
