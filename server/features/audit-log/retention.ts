import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inPieces } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'
import { reachesOrg } from '../../platform/actor.ts'
import type { Audit, AuditEvent } from '../../platform/audit.ts'
import { type AuditChain, AuditChains } from '../../platform/audit-chain.ts'
import { type Clock, day, iso, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { changeOf } from '../../platform/updates.ts'
import { grantedOrganization, writableOrganization } from '../organization-access/index.ts'
import { chainById, chainIds, eventsAfter, isBeingErased, isOf, isOfErased, type StoredEvent } from './chain-events.ts'
import { ChainWalk } from './chain-walk.ts'

interface RetentionServices {
  db: Database
  clock: Clock
  audit: Audit
  secrets: Pick<Secrets, 'sealLog'>
}

/** All columns of these events are in memory at the same time, and details may be long. */
const maxEventsPerStep = 200
/** Where an organization has no setting of its own. */
const defaultRetentionDays = 365

/** How long the events of an organization are kept, and the removal of older ones. */
export class AuditRetention {
  readonly #services: RetentionServices
  readonly #chains: AuditChains

  constructor(services: RetentionServices) {
    this.#services = services
    this.#chains = new AuditChains(services.db, services.secrets)
  }

  read(actor: UserActor, orgId: string) {
    const { db } = this.#services
    const org = reachesOrg(actor, orgId) ? grantedOrganization(db, actor, orgId) : null
    if (!org) throw new AppError('organization_not_found')
    return this.#view(orgId, org.audit_retention_days)
  }

  update(actor: UserActor, orgId: string, retentionDays: number) {
    const { db, clock, audit } = this.#services
    return db.transaction(() => {
      const org = writableOrganization(db, actor, orgId)
      const changed = { audit_retention_days: retentionDays, updated_at: isoNow(clock) }
      db.run(q.updateTable('organizations').set(changed).where('id', '=', orgId))
      const before = { retentionDays: org.audit_retention_days ?? defaultRetentionDays }
      const event: AuditEvent = {
        action: 'organization.audit_retention.update',
        resourceType: 'organization',
        resourceId: orgId,
        resourceName: org.name,
        details: changeOf(['retentionDays'], before, { retentionDays }),
      }
      audit(actor, { ...event, orgId })
      // Also recorded for the partner: from the log that gets shorter the event itself would soon be removed.
      if (retentionDays < before.retentionDays) audit(actor, { ...event, partnerId: org.partner_id })
      return this.#view(orgId, retentionDays)
    })
  }

  /** Removes the events of each chain that are too old, oldest first, so that the rest of the chain stays intact. */
  async clean(signal: AbortSignal): Promise<void> {
    const { db, clock } = this.#services
    for (const id of chainIds(db)) {
      const chain = chainById(db, id)
      if (!chain) continue
      const until = iso(clock.now() - this.#daysOf(chain) * day)
      await inPieces(signal, (limit) =>
        db.transaction(() => this.#removeSome(id, until, Math.min(limit, maxEventsPerStep))),
      )
      db.transaction(() => this.#removeLast(id, until))
    }
  }

  /**
   * Removes the oldest events before the instant `until`, at most `limit`. The newest event of a chain stays, because the
   * next one refers to its checksum. Events and the beginning of the chain change in one transaction, so the chain is
   * never broken.
   * @returns how many events were removed
   */
  #removeSome(id: number, until: string, limit: number): number {
    const { db, clock } = this.#services
    const chain = chainById(db, id)
    if (!chain || isBeingErased(db, chain)) return 0
    const events = eventsAfter(db, chain, chain.first_seq - 1, limit + 1)
    const firstToKeep = events.findIndex(({ seq, timestamp }) => timestamp >= until || seq >= chain.head_seq)
    const old = events.slice(0, firstToKeep === -1 ? limit : firstToKeep)
    const [last, next] = [old.at(-1), events[old.length]]
    if (!last || !next) return 0
    this.#chains.save(chain, {
      ...this.#faultIn(chain, old),
      first_seq: next.seq,
      anchor: last.checksum,
      length: chain.length - old.length,
      cleaned_at: isoNow(clock),
    })
    db.run(
      q.deleteFrom('audit_logs').where(isOf(chain)).where('seq', '>=', chain.first_seq).where('seq', '<', next.seq),
    )
    return old.length
  }

  /** Removes the last event of an erased organization when it is too old, together with the chain: nothing will follow. */
  #removeLast(id: number, until: string): void {
    const { db } = this.#services
    const chain = chainById(db, id)
    if (chain?.length !== 1 || chain.fault !== null || !isOfErased(db, chain)) return
    const [last] = eventsAfter(db, chain, chain.first_seq - 1, 1)
    if (!last || last.timestamp >= until) return
    this.#chains.save(chain, { first_seq: chain.head_seq + 1, anchor: last.checksum, length: 0 })
    db.run(q.deleteFrom('audit_logs').where('seq', '=', last.seq))
    db.run(q.deleteFrom('audit_chains').where('id', '=', id))
  }

  /** The fault in the events that are about to be removed, which is to stay on record; empty without one. */
  #faultIn(chain: AuditChain, old: StoredEvent[]) {
    if (chain.fault !== null) return {}
    const result = new ChainWalk(this.#services.db, chain).next(chain, old.length)
    return typeof result === 'object' ? result : {}
  }

  /**
   * For how many days the events of a chain are kept. Those of a partner, and of organizations that were erased, stay as
   * long as the longest setting among the partner's organizations.
   */
  #daysOf({ org_id, partner_id }: AuditChain): number {
    const { db } = this.#services
    const longest = q
      .selectFrom('organizations')
      .select(sql<number | null>`max(coalesce(audit_retention_days, ${defaultRetentionDays}))`.as('days'))
    const own = org_id === null ? undefined : db.first(longest.where('id', '=', org_id))?.days
    const ofPartner = longest.where('partner_id', '=', partner_id ?? '').where('deleted_at', 'is', null)
    return own ?? db.first(ofPartner)?.days ?? defaultRetentionDays
  }

  #view(orgId: string, days: number | null) {
    const cleaned = q
      .selectFrom('audit_chains')
      .select(({ fn }) => fn.max('cleaned_at').as('at'))
      .where('org_id', '=', orgId)
    return {
      data: {
        orgId,
        configured: days !== null,
        retentionDays: days ?? defaultRetentionDays,
        lastCleanupAt: this.#services.db.first(cleaned)?.at ?? null,
      },
    }
  }
}
