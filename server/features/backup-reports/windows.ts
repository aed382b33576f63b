import type { Database } from '../../db/database.ts'
import { onlyOrgs, type Reach } from '../../db/reach.ts'
import type { UserActor } from '../../platform/actor.ts'
import { day, iso } from '../../platform/clock.ts'

/** What a report looks at: an organization, as far as the actor sees it. */
export interface Scope {
  orgId: string
  reach: Reach
}

/** Of an organization that was found to be in reach. */
export const scopeOf = ({ sites, groups }: UserActor, orgId: string): Scope => ({
  orgId,
  reach: { orgs: onlyOrgs([orgId]), sites, groups },
})

export interface Window {
  from: string
  to: string
}

/** The days in UTC from one instant to another. A big fleet has ten thousand backups on each, which one query counts. */
export function daysBetween(fromMs: number, toMs: number): Window[] {
  const windows: Window[] = []
  for (let start = startOfDay(fromMs); start <= toMs; start += day)
    windows.push({ from: iso(start), to: iso(start + day) })
  return windows
}

export const startOfDay = (ms: number): number => ms - (ms % day)

/** The days since the first row of the organization until now. */
export function daysOf(db: Database, table: 'backup_jobs' | 'backup_snapshots', orgId: string, now: number): Window[] {
  const column = table === 'backup_jobs' ? 'created_at' : 'timestamp'
  const first = db.statement<string | null>(`SELECT min(${column}) FROM ${table} WHERE org_id = +?`).pluck().get(orgId)
  return first ? daysBetween(Date.parse(first), now) : []
}
