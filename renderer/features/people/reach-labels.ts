import type { UserRow } from '../../../shared/api/people.ts'
import { plural } from '../../lib/format.ts'

type Reach = Pick<UserRow, 'orgId' | 'orgAccess' | 'orgIds' | 'siteIds' | 'deviceGroupIds'>

/** Reach of a member in a few words. */
export function reachSummary({ orgId, orgAccess, orgIds, siteIds, deviceGroupIds }: Reach): string {
  if (!orgId)
    return orgAccess === 'all'
      ? 'All organizations'
      : orgAccess === 'selected'
        ? plural(orgIds?.length ?? 0, 'organization')
        : 'No organization'
  const parts = [
    siteIds && (siteIds.length === 0 ? 'no site' : plural(siteIds.length, 'site')),
    deviceGroupIds && plural(deviceGroupIds.length, 'device group'),
  ].filter((part) => typeof part === 'string')
  const text = parts.join(', ')
  return text ? `Only ${text}`.replace('Only no', 'No') : 'The whole organization'
}

/** Reach of a member in sentences; `nameOf` returns null for what is gone or not visible. */
export function reachDetails(reach: Reach, nameOf: (id: string) => string | null): string[] {
  const { orgId, orgAccess, orgIds, siteIds, deviceGroupIds } = reach
  if (!orgId) {
    if (orgAccess === 'all') return ['All organizations of the company, including future ones.']
    if (orgAccess === 'selected') return [`Only these organizations: ${listed(orgIds ?? [], nameOf, 'organization')}.`]
    return ['No organization: company-level data only.']
  }
  if (!siteIds && !deviceGroupIds) return ['The whole organization, with all its sites and devices.']
  return [
    siteIds &&
      (siteIds.length === 0 ? 'No sites and no devices.' : `Only these sites: ${listed(siteIds, nameOf, 'site')}.`),
    deviceGroupIds && `Only devices in these groups: ${listed(deviceGroupIds, nameOf, 'group')}.`,
  ].filter((line) => typeof line === 'string')
}

const mostNames = 12

function listed(ids: readonly string[], nameOf: (id: string) => string | null, what: string): string {
  const names = ids.map(nameOf).filter((name) => name !== null)
  const shown = names.toSorted((a, b) => a.localeCompare(b)).slice(0, mostNames)
  const rest = ids.length - shown.length
  if (rest === 0) return shown.join(', ')
  return shown.length === 0 ? plural(rest, what) : `${shown.join(', ')} and ${rest} more`
}
