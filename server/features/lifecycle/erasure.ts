import { sql } from 'kysely'
import type { Database, TableName } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inPieces } from '../../lib/pieces.ts'
import { systemActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { type Task, type TaskContext, TaskFailure, type TaskQueue, type Tasks } from '../../platform/tasks/index.ts'
import { deselectOrganization } from '../access/index.ts'
import { LastingEvents } from '../audit-log/index.ts'
import type { OrganizationRow } from '../organization-access/index.ts'
import { type Deleted, deletionsBelow } from './deletions.ts'
import { tablesThatGoWith } from './erasure-rules.ts'
import { oneOfPartner, tenantOf } from './tenant-tasks.ts'

interface ErasureServices {
  db: Database
  clock: Clock
  audit: Audit
  tasks: Tasks
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

/** The organization is gone when it is done: its name is kept with the task. */
interface ErasureInput {
  orgName: string
  /** Missing where it was asked for long ago. */
  orgSlug?: string
}

export type ErasureTask = Task<ErasureInput, ErasureProgress, ErasureProgress>

export type ErasableOrganization = Pick<OrganizationRow, 'id' | 'name' | 'slug' | 'partner_id'>

/** Milliseconds after which a piece ends, however little it has done. */
const pieceMs = 5
const refused = 'refused_status_guard'
const actor = systemActor('tenants.erase')
const counted: ReadonlySet<TableName> = new Set(tablesThatGoWith('organization'))

export const erasureJobId = (orgId: string): string => `tenant-erasure-${orgId}`

/** Deletes an organization and all that is in it, in pieces; lasting audit events stay. */
export class Erasure {
  readonly #services: ErasureServices
  readonly #lasting: LastingEvents
  readonly #queue: TaskQueue<ErasureInput, ErasureProgress, ErasureProgress>

  constructor(services: ErasureServices) {
    this.#services = services
    this.#lasting = new LastingEvents(services.db, services.secrets)
    this.#queue = services.tasks.register({
      name: 'organization.erase',
      description: 'Erases an organization',
      concurrency: 2,
      keyOf: oneOfPartner,
      // The sweep queues it again.
      attempts: 1,
      keepMs: Number.POSITIVE_INFINITY,
      amountOf: ({ done, total }) => ({ done, total }),
      run: (task, context) => this.#run(task, context),
      onFailed: (task, reason) => this.#recordFailure(task, reason),
    })
  }

  /** Joins the transaction that gives the organization up. False when its erasure is under way already. */
  enqueue({ id, name, slug, partner_id }: ErasableOrganization, requestedBy: string | null = null): boolean {
    const task = { id: erasureJobId(id), orgId: id, partnerId: partner_id, requestedBy }
    return this.#queue.add({ ...task, input: { orgName: name, orgSlug: slug } }) !== null
  }

  async #run(task: ErasureTask, { progress: report, signal }: TaskContext<ErasureProgress>): Promise<ErasureProgress> {
    const { db } = this.#services
    const org = db.first(q.selectFrom('organizations').selectAll().where('id', '=', tenantOf(task).orgId))
    const progress = task.progress ?? (await this.#measure(tenantOf(task).orgId, signal))
    // There was a crash between the last transaction and the end of the task.
    if (!org) return progress
    if (org.status !== 'purging' && !org.deleted_at) throw new TaskFailure(refused)
    const deletions = deletionsBelow(db, org.id)
    await inPieces(signal, (maxRows) => {
      const statements = db.transaction(() => {
        const done = this.#piece(deletions, maxRows, progress)
        report(progress)
        return done
      })
      // The pieces fill the write-ahead log so fast that a later commit would take long to empty it.
      if (statements > 0) setImmediate(() => db.checkpoint())
      return statements
    })
    db.transaction(() => {
      this.#finish(org, task.id, progress)
      report(progress)
    })
    return progress
  }

  /** Tells how many statements it took. */
  #piece(deletions: Iterator<Deleted>, maxRows: number, progress: ErasureProgress): number {
    const { clock } = this.#services
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
    } while (statements < maxRows && clock.monotonic() < end)
    return statements
  }

  #finish(org: OrganizationRow, taskId: string, progress: ErasureProgress): void {
    const { db, clock, audit } = this.#services
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
        erasureJobId: taskId,
        rows: progress.rows,
      },
    })
  }

  #recordFailure(task: Task<ErasureInput>, reason: string): void {
    const { orgId, partnerId } = tenantOf(task)
    this.#services.audit(actor, {
      action: reason === refused ? 'tenant.erasure.refused_status_guard' : 'tenant.erasure.failed',
      resourceType: 'organization',
      resourceId: orgId,
      resourceName: task.input.orgName,
      partnerId,
      details: { orgId, partnerId, erasureJobId: task.id, reason },
      result: 'failure',
    })
  }

  async #measure(orgId: string, signal: AbortSignal): Promise<ErasureProgress> {
    const { db } = this.#services
    let total = 1 + (await this.#countEvents(orgId, signal))
    for (const table of counted)
      if (table !== 'audit_logs')
        total += db.statement<number>(`SELECT count(*) FROM ${table} WHERE org_id = +?`).pluck().get(orgId) ?? 0
    return { done: 0, total, table: 'devices', rows: {} }
  }

  /** There may be millions of them. */
  #countEvents(orgId: string, signal: AbortSignal): Promise<number> {
    const { db } = this.#services
    let last = { timestamp: '', id: '' }
    return inPieces(signal, (maxRows) => {
      const events = db.all(
        q
          .selectFrom('audit_logs')
          .select(['timestamp', 'id'])
          .where('org_id', '=', orgId)
          .where(sql<boolean>`(timestamp, id) > (${last.timestamp}, ${last.id})`)
          .orderBy('timestamp')
          .orderBy('id')
          .limit(maxRows),
      )
      last = events.at(-1) ?? last
      return events.length
    })
  }
}
