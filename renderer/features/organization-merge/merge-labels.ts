import type { MergePreview, MergeProgress, MergeRun } from '../../../shared/api/organization-merge.ts'
import { pairNames } from '../../domain/organizations/same-names.ts'
import { count, plural } from '../../lib/format.ts'
import { spokenProgress } from '../../lib/spoken-progress.ts'

const things: Record<string, string> = {
  devices: 'Devices and their records',
  sites: 'Sites',
  device_groups: 'Device groups',
  contacts: 'Contacts',
  contact_external_links: 'External links of contacts',
  organization_users: 'People with access',
  roles: 'Roles',
  enrollment_keys: 'Enrollment keys',
  configuration_policies: 'Policies',
  config_policy_assignments: 'Policy assignments',
  backup_profiles: 'Backup profiles',
  psa_connections: 'Ticket system connections',
  audit_logs: 'Audit log entries',
}

export interface MovedRecords {
  what: string
  moved: number
  dropped: number
}

type Rows = Pick<MergePreview['tables'][number], 'table' | 'loserRows' | 'wouldDrop'>[]

/** Moved records by kind; unknown tables are summed up in one line. */
export function movedRecords(tables: Rows): MovedRecords[] {
  const known = Object.keys(things)
  const move = (what: string, rows: Rows): MovedRecords[] => {
    const dropped = rows.reduce((sum, { wouldDrop }) => sum + wouldDrop, 0)
    const all = rows.reduce((sum, { loserRows }) => sum + loserRows, 0)
    return all === 0 ? [] : [{ what, moved: all - dropped, dropped }]
  }
  const of = (table: string) => tables.filter((row) => row.table === table)
  const others = tables.filter(({ table }) => !known.includes(table))
  return [...known.flatMap((table) => move(things[table] ?? table, of(table))), ...move('Other records', others)]
}

const reasons: Record<string, string> = {
  performer_not_found: 'The person who requested it no longer has an account.',
  performer_inactive: 'The account of the person who requested it isn’t active.',
  performer_not_in_partner: 'The person who requested it no longer belongs to the company.',
  performer_lacks_permission: 'The person who requested it may no longer change organizations.',
  performer_lacks_org_access: 'The person who requested it no longer has access to both organizations.',
  internal_error: 'Internal error. See Homeport’s log for details.',
}

/** Why a merge failed; an unknown reason is a sentence of the server. */
export const mergeFailureText = (reason: string): string => reasons[reason] ?? `${reason.replace(/\.$/, '')}.`

/** Names of the organization that goes and the one that stays. */
export const mergedNames = ({ loserName, loserSlug, survivorName, survivorSlug }: MergeRun): [string, string] =>
  pairNames({ name: loserName, slug: loserSlug }, { name: survivorName, slug: survivorSlug })

/** A finished merge has no phase. */
type Phase = MergeProgress['phase']

const phases: Record<Phase, string> = {
  waiting: 'Queued',
  fencing: 'Locking the organization and waiting for running work',
  moving: 'Moving',
  undoing: 'Something went wrong: rolling back',
}

const nothing: MergeProgress = { phase: 'waiting', movedRows: 0, totalRows: 0 }
const isFinishing = ({ phase, movedRows, totalRows }: MergeProgress) =>
  phase === 'moving' && totalRows > 0 && movedRows >= totalRows

export function phaseText(progress: MergeProgress = nothing): string {
  const { phase, movedRows, totalRows } = progress
  if (isFinishing(progress)) return 'Finishing'
  if (phase === 'moving') return `Moving ${count(movedRows)} of ${plural(totalRows, 'record')}`
  if (phase === 'undoing') return `${phases.undoing}, ${plural(movedRows, 'record')} to go`
  return phases[phase]
}

/** For screen readers: the phase, and the progress in quarters. */
export function spokenPhase(progress: MergeProgress = nothing): string {
  const { phase, movedRows, totalRows } = progress
  if (isFinishing(progress)) return 'Finishing'
  const share = phase === 'moving' ? spokenProgress(movedRows, totalRows) : ''
  return share ? `Moving, ${share}` : phases[phase]
}

/** From 0 to 100; null while there is nothing to measure. */
export const mergePercent = ({ phase, movedRows, totalRows }: MergeProgress = nothing): number | null =>
  totalRows > 0 && (phase === 'moving' || phase === 'undoing') ? Math.min(100, (movedRows / totalRows) * 100) : null
