import { randomUUIDv7 } from 'node:crypto'
import { sql } from 'kysely'
import type {
  ConfigurationPolicy,
  createPolicy,
  listPolicies,
  updatePolicy,
} from '../../../shared/api/configuration-policies.ts'
import type { BodyOf, QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { contains } from '../../db/like.ts'
import { q } from '../../db/query.ts'
import { type Steps, shownInSteps } from '../../lib/pieces.ts'
import { reachesOrg, type UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { changedFieldsOf, changeOf } from '../../platform/updates.ts'
import { grantedOrganization, isOwnerAbove, isOwnerSeen, ownerToBe } from '../organization-access/index.ts'
import { eventAbout, findPolicyToRead, findPolicyToWrite } from './policy-access.ts'
import { type LinkRow, type PolicyRow, policyView } from './views.ts'

interface PolicyServices {
  db: Database
  clock: Clock
  audit: Audit
}

type NamedRow = PolicyRow & { org_name: string | null }

export class Policies {
  readonly #services: PolicyServices

  constructor(services: PolicyServices) {
    this.#services = services
  }

  *list(
    actor: UserActor,
    { page, limit, orgId, status, search }: QueryOf<typeof listPolicies>,
  ): Steps<ReplyOf<typeof listPolicies>> {
    const { db } = this.#services
    if (orgId && !(reachesOrg(actor, orgId) && grantedOrganization(db, actor, orgId)))
      throw new AppError('org_access_denied')
    let seen = policyRows().where(isOwnerSeen(actor, 'configuration_policies'))
    if (orgId) seen = seen.where(isOwnerAbove(orgId, 'configuration_policies'))
    if (status) seen = seen.where('configuration_policies.status', '=', status)
    if (search) seen = seen.where(contains(sql.ref('configuration_policies.name'), search))
    const ordered = seen
      .orderBy('configuration_policies.updated_at', 'desc')
      .orderBy('configuration_policies.id', 'desc')
    const ids = db.all(
      ordered
        .clearSelect()
        .select('configuration_policies.id')
        .limit(limit)
        .offset((page - 1) * limit),
    )
    const total = db.one(seen.clearSelect().select((select) => select.fn.countAll<number>().as('total'))).total
    const read = (some: readonly { id: string }[]) =>
      db.all(
        ordered.where(
          'configuration_policies.id',
          'in',
          some.map(({ id }) => id),
        ),
      )
    const data = yield* shownInSteps(ids, read, (row: NamedRow) => this.#view(row))
    return { data, pagination: { page, limit, total } }
  }

  read(actor: UserActor, id: string): ConfigurationPolicy {
    return this.#viewOf(findPolicyToRead(this.#services.db, actor, id).id)
  }

  create(actor: UserActor, { orgId, ownerScope, ...wanted }: BodyOf<typeof createPolicy>): ConfigurationPolicy {
    const { db, clock, audit } = this.#services
    return db.transaction(() => {
      const owner = ownerToBe(db, actor, { ownerScope, orgId })
      const id = randomUUIDv7()
      const now = isoNow(clock)
      db.run(
        q.insertInto('configuration_policies').values({
          ...owner,
          id,
          name: wanted.name,
          description: wanted.description ?? null,
          status: wanted.status,
          created_by: actor.userId,
          created_at: now,
          updated_at: now,
        }),
      )
      audit(actor, { action: 'config_policy.create', ...eventAbout(findPolicyToWrite(db, actor, id)) })
      return this.#viewOf(id)
    })
  }

  update(actor: UserActor, id: string, wanted: BodyOf<typeof updatePolicy>): ConfigurationPolicy {
    const { db, clock, audit } = this.#services
    return db.transaction(() => {
      const row = findPolicyToWrite(db, actor, id)
      const changedFields = changedFieldsOf(wanted)
      const before = this.#viewOf(id)
      db.run(
        q
          .updateTable('configuration_policies')
          .set({
            ...(wanted.name && { name: wanted.name }),
            ...(wanted.description !== undefined && { description: wanted.description }),
            ...(wanted.status && { status: wanted.status }),
            updated_at: isoNow(clock),
          })
          .where('id', '=', id),
      )
      const after = this.#viewOf(id)
      const details = changeOf(changedFields, before, after)
      audit(actor, { action: 'config_policy.update', ...eventAbout({ ...row, name: after.name }), details })
      return after
    })
  }

  /** What it says and its assignments go with it. */
  remove(actor: UserActor, id: string): void {
    const { db, audit } = this.#services
    db.transaction(() => {
      const row = findPolicyToWrite(db, actor, id)
      const assignments = db.one(
        q
          .selectFrom('config_policy_assignments')
          .select((select) => select.fn.countAll<number>().as('total'))
          .where('config_policy_id', '=', id),
      ).total
      db.run(q.deleteFrom('configuration_policies').where('id', '=', id))
      audit(actor, { action: 'config_policy.delete', ...eventAbout(row), details: { assignments } })
    })
  }

  #viewOf(id: string): ConfigurationPolicy {
    return this.#view(this.#services.db.one(policyRows().where('configuration_policies.id', '=', id)))
  }

  #view(row: NamedRow): ConfigurationPolicy {
    return policyView(row, linksOf(this.#services.db, row.id))
  }
}

export const linksOf = (db: Database, policyId: string): LinkRow[] =>
  db.all(
    q
      .selectFrom('config_policy_feature_links')
      .selectAll()
      .where('config_policy_id', '=', policyId)
      .orderBy('feature_type'),
  )

const policyRows = () =>
  q
    .selectFrom('configuration_policies')
    .leftJoin('organizations', 'organizations.id', 'configuration_policies.org_id')
    .selectAll('configuration_policies')
    .select('organizations.name as org_name')
