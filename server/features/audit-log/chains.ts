import { sql } from 'kysely'
import type { AuditChainView, listAuditChains } from '../../../shared/api/audit-log.ts'
import type { QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import { byName } from '../../db/by-name.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import type { ChainChecks } from './chain-checks.ts'
import { isVisibleTo } from './visibility.ts'

type ChainRow = Awaited<ReturnType<ReturnType<typeof visibleChains>['execute']>>[number]
type Summary = ReplyOf<typeof listAuditChains>['summary']

const visibleChains = (actor: UserActor) =>
  q
    .selectFrom(q.selectFrom('audit_chains').selectAll().where(isVisibleTo(actor)).as('chain'))
    .leftJoin('organizations', 'organizations.id', 'chain.org_id')
    .leftJoin('audit_logs as misfit', 'misfit.seq', 'chain.fault_seq')
    .leftJoin('audit_logs as unsealed', 'unsealed.seq', 'chain.unsealed_seq')
    .selectAll('chain')
    .select([
      'organizations.name as org_name',
      'misfit.id as misfit_id',
      'misfit.timestamp as misfit_at',
      'unsealed.timestamp as unsealed_until',
    ])

/** The chains as people see them: whether each is intact, and when that was checked last. */
export class Chains {
  readonly #db: Database
  readonly #audit: Audit
  readonly #checks: ChainChecks

  constructor(db: Database, audit: Audit, checks: ChainChecks) {
    this.#db = db
    this.#audit = audit
    this.#checks = checks
  }

  /** Broken ones first, then that of the company, then those of its organizations by name. */
  list(actor: UserActor, { page, limit }: QueryOf<typeof listAuditChains>): ReplyOf<typeof listAuditChains> {
    const chains = visibleChains(actor)
      .orderBy(sql`chain.fault is null`)
      .orderBy(sql`chain.org_id is not null`)
      .orderBy(byName('organizations.name'))
      .orderBy('chain.id')
      .limit(limit)
      .offset((page - 1) * limit)
    const summary = this.#summary(actor)
    return {
      summary,
      data: this.#db.all(chains).map((chain) => this.#view(chain)),
      pagination: { page, limit, total: summary.chains },
    }
  }

  /**
   * Starts to check the chains that the caller sees; a check that is running is not started again.
   * @returns the number of chains
   */
  verify(actor: UserActor): number {
    const seen = this.#db.all(q.selectFrom('audit_chains').select('id').where(isVisibleTo(actor)))
    this.#audit(actor, {
      action: 'audit_logs.verify',
      resourceType: 'audit_log',
      orgId: actor.scope === 'organization' ? actor.orgId : null,
      details: { chains: seen.length },
    })
    void this.#checks.check(seen.map(({ id }) => id))
    return seen.length
  }

  #summary(actor: UserActor): Summary {
    const due = sql`(select value from json_each(${JSON.stringify(this.#checks.due)}))`
    const counts = q
      .selectFrom('audit_chains')
      .where(isVisibleTo(actor))
      .select([
        sql<number>`count(*)`.as('chains'),
        sql<number>`coalesce(sum(length), 0)`.as('events'),
        sql<number>`count(fault)`.as('broken'),
        sql<number>`count(*) - count(checked_at)`.as('unchecked'),
        sql<number>`count(*) filter (where id in ${due})`.as('beingChecked'),
        sql<string | null>`min(checked_at)`.as('oldestCheckAt'),
      ])
    return this.#db.one(counts)
  }

  #view(chain: ChainRow): AuditChainView {
    return {
      orgId: chain.org_id,
      orgName: chain.org_name,
      partnerId: chain.partner_id,
      events: chain.length,
      checkedAt: chain.checked_at,
      isBeingChecked: this.#checks.due.includes(chain.id),
      cleanedAt: chain.cleaned_at,
      fault: chain.fault && { kind: chain.fault, eventId: chain.misfit_id, at: chain.misfit_at },
      unsealedUntil: chain.unsealed_until,
    }
  }
}
