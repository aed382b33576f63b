import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import pLimit from 'p-limit'
import type { addSsoDomain, VerifiedDomain, verifySsoDomain } from '../../../../shared/api/sso-domains.ts'
import type { AuditActionOf } from '../../../../shared/audit-actions/index.ts'
import type { BodyOf, ReplyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Actor, systemActor, type UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError, fieldError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { isNotFrozen } from '../../organization-access/index.ts'
import { assertAccess, organizationFor, type Purpose } from '../provider/access.ts'
import type { SsoVerifiedDomainTable } from '../tables.ts'
import { domainWithin } from './domain-name.ts'
import type { TxtRecords } from './txt-records.ts'

interface Dependencies {
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
  txtRecords: TxtRecords
}

type Row = Selectable<SsoVerifiedDomainTable>

/** Per organization, because each domain is looked up daily. */
const maxPerOrganization = 100
/** Look-ups of the daily job at the same time. */
const maxConcurrent = 10

/** Domains that organizations prove to own by a DNS record. A domain stays verified when the record is removed later. */
export class Domains {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  list(actor: UserActor, orgId: string | undefined): VerifiedDomain[] {
    const { db } = this.#dependencies
    const owner = organizationFor(db, actor, [orgId], 'read')
    const rows = q.selectFrom('sso_verified_domains').selectAll().where('org_id', '=', owner)
    return db.all(rows.orderBy('domain')).map(domainView)
  }

  /** Adding a domain again returns the existing entry. */
  add(
    actor: UserActor,
    orgInQuery: string | undefined,
    input: BodyOf<typeof addSsoDomain>,
  ): ReplyOf<typeof addSsoDomain>['data'] {
    const { db } = this.#dependencies
    return db.transaction(() => {
      const orgId = organizationFor(db, actor, [input.orgId, orgInQuery], 'write')
      const domain = domainWithin(input.domain)
      if (domain === null) throw invalid(input.domain)
      const { id, verified, recordName, recordValue } = domainView(
        this.#find(orgId, domain) ?? this.#insert(actor, orgId, domain),
      )
      return { id, domain, verified, recordName, recordValue }
    })
  }

  async verify(actor: UserActor, id: string): Promise<ReplyOf<typeof verifySsoDomain>['data']> {
    const { db, limits, txtRecords } = this.#dependencies
    const row = this.#owned(actor, id, 'write')
    limits.consume('sso_domain_verify', actor.userId)
    const isProven = isProof(row, await txtRecords.at(recordName(row)))
    return db.transaction(() => {
      const after = this.#checked(row, isProven)
      if (!after) return { verified: false, reason: 'not_found' as const }
      const outcome =
        after.verified_at === null ? { verified: false, reason: 'txt_not_found' as const } : { verified: true }
      this.#record(actor, 'verify', after, outcome)
      return outcome
    })
  }

  remove(actor: UserActor, id: string): void {
    const { db } = this.#dependencies
    db.transaction(() => {
      const row = this.#owned(actor, id, 'write')
      db.run(q.deleteFrom('sso_verified_domains').where('id', '=', id))
      this.#record(actor, 'delete', row, { verified: row.verified_at !== null })
    })
  }

  /** Looks up all records again, except those of frozen organizations. */
  async checkAll(signal: AbortSignal): Promise<void> {
    const { db } = this.#dependencies
    const rows = db.all(q.selectFrom('sso_verified_domains').selectAll().orderBy('id'))
    await pLimit(maxConcurrent).map(rows, (row) => this.#checkAgain(row, signal))
  }

  async #checkAgain(row: Row, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const isProven = isProof(row, await this.#dependencies.txtRecords.at(recordName(row)))
    this.#dependencies.db.transaction(() => {
      const after = this.#checked(row, isProven)
      const isNew = row.verified_at === null && after !== undefined && after.verified_at !== null
      if (isNew) this.#record(systemActor('sso.check-domains'), 'verify', after, { verified: true })
    })
  }

  /** Saves the result of a look-up; undefined where the domain was removed or its organization frozen meanwhile. */
  #checked({ id }: Row, isProven: boolean): Row | undefined {
    const { db, clock } = this.#dependencies
    const now = isoNow(clock)
    const [after] = db.write(
      q
        .updateTable('sso_verified_domains')
        .set({
          last_checked_at: now,
          updated_at: now,
          ...(isProven && { verified_at: sql<string>`coalesce(verified_at, ${now})` }),
        })
        .where('id', '=', id)
        .where(sql<boolean>`org_id in (select id from organizations where ${isNotFrozen()})`)
        .returningAll(),
    )
    return after
  }

  #find(orgId: string, domain: string): Row | undefined {
    return this.#dependencies.db.first(
      q.selectFrom('sso_verified_domains').selectAll().where('org_id', '=', orgId).where('domain', '=', domain),
    )
  }

  /** @throws AppError `sso_domain_not_found`, also for a domain of another tenant */
  #owned(actor: UserActor, id: string, to: Purpose): Row {
    const { db } = this.#dependencies
    const row = db.first(q.selectFrom('sso_verified_domains').selectAll().where('id', '=', id))
    if (!row) throw new AppError('sso_domain_not_found')
    assertAccess(db, actor, { ...row, partner_id: null }, to, 'sso_domain_not_found')
    return row
  }

  #insert(actor: UserActor, orgId: string, domain: string): Row {
    const { db, clock } = this.#dependencies
    const named = q.selectFrom('sso_verified_domains').select('id').where('org_id', '=', orgId)
    if (db.all(named).length >= maxPerOrganization)
      throw fieldError('domain', `An organization names at most ${maxPerOrganization}`)
    const now = isoNow(clock)
    const row: Row = {
      id: randomUUIDv7(),
      org_id: orgId,
      domain,
      verification_token: randomBytes(24).toString('hex'),
      verified_at: null,
      last_checked_at: null,
      created_by: actor.userId,
      created_at: now,
      updated_at: now,
    }
    db.run(q.insertInto('sso_verified_domains').values(row))
    this.#record(actor, 'create', row, {})
    return row
  }

  #record(
    actor: Actor,
    what: AuditActionOf<'sso.domain'>,
    { id, domain, org_id }: Row,
    details: Record<string, unknown>,
  ): void {
    this.#dependencies.audit(actor, {
      action: `sso.domain.${what}`,
      resourceType: 'sso_domain',
      resourceId: id,
      resourceName: domain,
      orgId: org_id,
      details: { domain, ...details },
    })
  }
}

const recordName = ({ domain }: Row) => `_svc-verify.${domain}`
const recordValue = ({ verification_token }: Row) => `svc-domain-verify=${verification_token}`
const isProof = (row: Row, records: readonly string[]) => records.includes(recordValue(row))

const domainView = (row: Row): VerifiedDomain => ({
  id: row.id,
  domain: row.domain,
  verified: row.verified_at !== null,
  verifiedAt: row.verified_at,
  lastCheckedAt: row.last_checked_at,
  createdAt: row.created_at,
  recordName: recordName(row),
  recordValue: recordValue(row),
})

function invalid(written: string): AppError {
  const message = `Invalid domain: ${written.slice(0, 100)}`
  return new AppError('sso_domain_invalid', { error: message, message })
}
