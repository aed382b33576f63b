import type { LogFilters } from '../../data/audit-log.ts'
import { exactTime } from '../../lib/format.ts'
import { actionName } from './action-labels.ts'
import { resultName } from './event-result.tsx'

interface ActiveFilter {
  text: string
  /** The change that removes it. */
  without: LogFilters
}

/** The filters that are set, except the search, in words. */
export function activeFilters(
  { user, action, resource, result, from, to }: LogFilters,
  targetName: string | undefined,
): ActiveFilter[] {
  return [
    ...(user ? [{ text: `Who: ${user}`, without: { user: undefined } }] : []),
    ...(action ? [{ text: `Action: ${actionName(action)}`, without: { action: undefined } }] : []),
    ...(resource ? [{ text: `Target: ${targetName ?? resource}`, without: { resource: undefined } }] : []),
    ...(result ? [{ text: `Result: ${resultName(result)}`, without: { result: undefined } }] : []),
    ...(from ? [{ text: `From: ${exactTime(from)}`, without: { from: undefined } }] : []),
    ...(to ? [{ text: `To: ${exactTime(to)}`, without: { to: undefined } }] : []),
  ]
}
