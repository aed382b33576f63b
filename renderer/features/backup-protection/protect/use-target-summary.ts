import { useQuery } from '@tanstack/react-query'
import { deviceGroupsQuery } from '../../../data/device-groups.ts'
import { sitesQuery } from '../../../data/sites.ts'
import { useDeviceCount } from '../../../domain/organizations/use-device-count.ts'
import { plural } from '../../../lib/format.ts'
import { can } from '../../../lib/permissions.ts'
import { useMe } from '../../../lib/session.ts'
import type { TargetDraft } from '../target-fields.tsx'

/** How many devices a target has now, and what to call them. */
export function useTargetSummary(target: TargetDraft, org: { id: string; name: string }) {
  const { level, siteId, groupId, deviceIds } = target
  const total = useDeviceCount(org.id)
  const maySeeSites = can(useMe(), 'sites:read')
  const sites = useQuery({ ...sitesQuery(org.id), enabled: level === 'site' && maySeeSites }).data
  const groups = useQuery({ ...deviceGroupsQuery(org.id), enabled: level === 'device_group' }).data
  const site = sites?.find(({ id }) => id === siteId)
  const group = groups?.find(({ id }) => id === groupId)
  switch (level) {
    case 'organization':
      return { count: total, place: org.name, where: `of all devices of ${org.name}` }
    case 'site':
      return { count: site?.deviceCount, place: site?.name, where: `of all devices at ${site?.name}` }
    case 'device_group':
      return { count: group?.deviceCount, place: group?.name, where: `of all devices in ${group?.name}` }
    case 'device':
      return { count: deviceIds.length, place: undefined, where: `of ${plural(deviceIds.length, 'device')}` }
  }
}
