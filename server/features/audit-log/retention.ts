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
import { chainById, chainIds, isBeingErased, isOf, isOfErased, type Link, linksAfter } from './chain-events.ts'
import { ChainWalk } from './chain-walk.ts'

interface Deps {
  db: Database
  clock: Clock
  audit: Audit
  secrets: Pick<Secrets, 'sealLog'>
}

/** All there is of so many events is read at once, however long they are. */
const mostAtOnce = 200
/** Unless somebody chose otherwise. */
const usualDays = 365

/** For how long the events of an organization are kept, and the removal of those whose time is over. */
export class AuditRetention {
  readonly #deps: Deps
  readonly #chains: AuditChains

  constructor(deps: Deps) {
    this.#deps = deps
    this.#chains = new AuditChains(deps.db, deps.secrets)
  }

  read(actor: UserActor, orgId: string) {
    const { db } = this.#deps
    const org = reachesOrg(actor, orgId) ? grantedOrganization(db, actor, orgId) : null
    if (!org) throw new AppError('organization_not_found')
    return this.#view(orgId, org.audit_retention_days)
  }

  update(actor: UserActor, orgId: string, retentionDays: number) {
    const { db, clock, audit } = this.#deps
    return db.transaction(() => {
      const org = writableOrganization(db, actor, orgId)
      const changed = { audit_retention_days: retentionDays, updated_at: isoNow(clock) }
      db.run(q.updateTable('organizations').set(changed).where('id', '=', orgId))
      const before = { retentionDays: org.audit_retention_days ?? usualDays }
      const event: AuditEvent = {
        action: 'organization.audit_retention.update',
        resourceType: 'organization',
        resourceId: orgId,
        resourceName: org.name,
        details: changeOf(['retentionDays'], before, { retentionDays }),
      }
      audit(actor, { ...event, orgId })
      // Told to the company, too: what shortens a log is soon gone from it.
      if (retentionDays < before.retentionDays) audit(actor, { ...event, partnerId: org.partner_id })
      return this.#view(orgId, retentionDays)
    })
  }

  /** Removes what is too old from each chain, the oldest first, so that the check of the rest still holds. */
  async clean(signal: AbortSignal): Promise<void> {
    const { db, clock } = this.#deps
    for (const id of chainIds(db)) {
      const chain = chainById(db, id)
      if (!chain) continue
      const until = iso(clock.now() - this.#daysOf(chain) * day)
      await inPieces(signal, (most) => db.transaction(() => this.#removeSome(id, until, Math.min(most, mostAtOnce))))
      db.transaction(() => this.#removeLast(id, until))
    }
  }

  /**
   * The newest event of a chain is never removed: others are told by what they follow. Where a chain begins and the
   * events before are changed in one transaction, so nothing that happens in between leaves it broken.
   */
  #removeSome(id: number, until: string, most: number): number {
    const { db, clock } = this.#deps
    const chain = chainById(db, id)
    if (!chain || isBeingErased(db, chain)) return 0
    const links = linksAfter(db, chain, chain.first_seq - 1, most + 1)
    const kept = links.findIndex(({ seq, timestamp }) => timestamp >= until || seq >= chain.head_seq)
    const old = links.slice(0, kept === -1 ? most : kept)
    const [last, next] = [old.at(-1), links[old.length]]
    if (!last || !next) return 0
    this.#chains.save(chain, {
      ...this.#misfitIn(chain, old),
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

  /** Nothing follows the newest event of an organization that was erased: it goes when its time is over, and its chain. */
  #removeLast(id: number, until: string): void {
    const { db } = this.#deps
    const chain = chainById(db, id)
    if (chain?.length !== 1 || chain.fault !== null || !isOfErased(db, chain)) return
    const [last] = linksAfter(db, chain, chain.first_seq - 1, 1)
    if (!last || last.timestamp >= until) return
    this.#chains.save(chain, { first_seq: chain.head_seq + 1, anchor: last.checksum, length: 0 })
    db.run(q.deleteFrom('audit_logs').where('seq', '=', last.seq))
    db.run(q.deleteFrom('audit_chains').where('id', '=', id))
  }

  /** What somebody tampered with goes like the rest, but not unnoticed. */
  #misfitIn(chain: AuditChain, old: Link[]) {
    if (chain.fault !== null) return {}
    const found = new ChainWalk(this.#deps.db, chain).next(chain, old.length)
    return typeof found === 'object' ? found : {}
  }

  /** The events of a company, and those of organizations it has no more, are kept as long as the longest of the others'. */
  #daysOf({ org_id, partner_id }: AuditChain): number {
    const { db } = this.#deps
    const chosen = q
      .selectFrom('organizations')
      .select(sql<number | null>`max(coalesce(audit_retention_days, ${usualDays}))`.as('days'))
    const own = org_id === null ? undefined : db.first(chosen.where('id', '=', org_id))?.days
    const ofCompany = chosen.where('partner_id', '=', partner_id ?? '').where('deleted_at', 'is', null)
    return own ?? db.first(ofCompany)?.days ?? usualDays
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
        retentionDays: days ?? usualDays,
        lastCleanupAt: this.#deps.db.first(cleaned)?.at ?? null,
      },
    }
  }
}
