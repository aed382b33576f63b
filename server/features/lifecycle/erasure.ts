import { sql } from 'kysely'
import type { Database, TableName } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inPieces } from '../../lib/pieces.ts'
import { systemActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { deselectOrganization } from '../access/index.ts'
import { LastingEvents } from '../audit-log/index.ts'
import type { OrganizationRow } from '../organization-access/index.ts'
import { type Deleted, deletionsBelow } from './deletions.ts'
import { tablesThatGoWith } from './erasure-rules.ts'
import { JobFailure, type TenantJob, type TenantJobs } from './tenant-jobs.ts'

interface Deps {
  db: Database
  clock: Clock
  audit: Audit
  jobs: TenantJobs
  secrets: Pick<Secrets, 'sealLog'>
}

/** How far an erasure is: of the organization's own rows; what hangs on a device counts as the device. */
export interface ErasureProgress {
  done: number
  total: number
  /** The table it is at. */
  table: TableName
  /** Every row that is gone, by table. */
  rows: Partial<Record<TableName, number>>
}

export type Doomed = Pick<OrganizationRow, 'id' | 'name' | 'slug' | 'partner_id'>

/** Milliseconds after which a piece ends, however little it has done. */
const pieceMs = 5
const refused = 'refused_status_guard'
const actor = systemActor('tenants.erase')
const counted: ReadonlySet<TableName> = new Set(tablesThatGoWith('organization'))

export const erasureJobId = (orgId: string): string => `tenant-erasure-${orgId}`

/** Destroys an organization and all that is in it, piece by piece, but for what tells who did what with it. */
export class Erasure {
  readonly #deps: Deps
  readonly #lasting: LastingEvents

  constructor(deps: Deps) {
    this.#deps = deps
    this.#lasting = new LastingEvents(deps.db, deps.secrets)
    deps.jobs.handle('erasure', {
      run: (job, report, signal) => this.#run(job, report, signal),
      onFailure: (job, reason) => this.#recordFailure(job, reason),
    })
  }

  /** Joins the transaction that dooms the organization. False when its erasure is under way already. */
  enqueue({ id, name, slug, partner_id }: Doomed, requestedBy: string | null = null): boolean {
    const job = { id: erasureJobId(id), kind: 'erasure', orgId: id, partnerId: partner_id, requestedBy } as const
    return this.#deps.jobs.enqueue({ ...job, input: { orgName: name, orgSlug: slug } })
  }

  async #run(job: TenantJob, report: (progress: object) => void, signal: AbortSignal): Promise<object> {
    const { db } = this.#deps
    const org = db.first(q.selectFrom('organizations').selectAll().where('id', '=', job.org_id))
    // A crash between the last transaction and the end of the job.
    if (!org) return JSON.parse(job.progress) as object
    if (org.status !== 'purging' && !org.deleted_at) throw new JobFailure(refused)
    const progress = erasureProgress(job) ?? (await this.#measure(org.id, signal))
    const deletions = deletionsBelow(db, org.id)
    await inPieces(signal, (most) => {
      const statements = db.transaction(() => {
        const done = this.#piece(deletions, most, progress)
        report(progress)
        return done
      })
      // Pieces fill the log so fast that a commit would soon hold everybody up to empty it.
      if (statements > 0) setImmediate(() => db.checkpoint())
      return statements
    })
    db.transaction(() => {
      this.#finish(org, job, progress)
      report(progress)
    })
    return progress
  }

  /** Tells how many statements it took. */
  #piece(deletions: Iterator<Deleted>, most: number, progress: ErasureProgress): number {
    const { clock } = this.#deps
    const end = clock.monotonic() + pieceMs
    let statements = 0
    do {
      const next = deletions.next()
      if (next.done) break
      statements++
      const { table, rows } = next.value
      progress.table = table
      progress.rows[table] = (progress.rows[table] ?? 0) + rows
      if (counted.has(table)) progress.done += rows
    } while (statements < most && clock.monotonic() < end)
    return statements
  }

  #finish(org: OrganizationRow, job: TenantJob, progress: ErasureProgress): void {
    const { db, clock, audit } = this.#deps
    deselectOrganization(db, clock, org)
    this.#lasting.renew(org)
    db.run(q.deleteFrom('organizations').where('id', '=', org.id))
    progress.done = progress.total
    progress.table = 'organizations'
    audit(actor, {
      action: 'tenant.erasure.completed',
      resourceType: 'organization',
      resourceId: org.id,
      resourceName: org.name,
      partnerId: org.partner_id,
      details: {
        orgId: org.id,
        orgName: org.name,
        partnerId: org.partner_id,
        erasureJobId: job.id,
        rows: progress.rows,
      },
    })
  }

  #recordFailure(job: TenantJob, reason: string): void {
    const { orgName } = JSON.parse(job.input) as { orgName?: string }
    this.#deps.audit(actor, {
      action: reason === refused ? 'tenant.erasure.refused_status_guard' : 'tenant.erasure.failed',
      resourceType: 'organization',
      resourceId: job.org_id,
      resourceName: orgName ?? null,
      partnerId: job.partner_id,
      details: { orgId: job.org_id, partnerId: job.partner_id, erasureJobId: job.id, reason },
      result: 'failure',
    })
  }

  async #measure(orgId: string, signal: AbortSignal): Promise<ErasureProgress> {
    const { db } = this.#deps
    let total = 1 + (await this.#countEvents(orgId, signal))
    for (const table of counted)
      if (table !== 'audit_logs')
        total += db.statement(`SELECT count(*) FROM ${table} WHERE org_id = +?`).pluck().get(orgId) as number
    return { done: 0, total, table: 'devices', rows: {} }
  }

  /** There may be millions of them. */
  #countEvents(orgId: string, signal: AbortSignal): Promise<number> {
    const { db } = this.#deps
    let last = { timestamp: '', id: '' }
    return inPieces(signal, (most) => {
      const events = db.all(
        q
          .selectFrom('audit_logs')
          .select(['timestamp', 'id'])
          .where('org_id', '=', orgId)
          .where(sql<boolean>`(timestamp, id) > (${last.timestamp}, ${last.id})`)
          .orderBy('timestamp')
          .orderBy('id')
          .limit(most),
      )
      last = events.at(-1) ?? last
      return events.length
    })
  }
}

/** Null before the first piece. */
export function erasureProgress(job: Pick<TenantJob, 'progress'>): ErasureProgress | null {
  const progress = JSON.parse(job.progress) as ErasureProgress | Record<string, never>
  return 'total' in progress ? (progress as ErasureProgress) : null
}
