import { useFavicon } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { BackupProblem } from '../../../shared/api/backup-attention.ts'
import type { DeviceAttention } from '../../../shared/api/devices.ts'
import type { Home } from '../../../shared/api/home.ts'
import { homeInBackgroundQuery } from '../../data/home.ts'
import { useLiveConnection } from '../../domain/live-events/live-provider.tsx'
import { homePageFor } from '../../domain/navigation/pages.ts'
import { useMe } from '../../lib/session.ts'

/** The icon of the browser tab: whether a device needs somebody soon, and whether the appliance is reachable. */
export function TabIcon() {
  const { isBroken } = useLiveConnection()
  const hasHome = homePageFor(useMe()).to === '/'
  const { data: home } = useQuery({ ...homeInBackgroundQuery, enabled: hasHome })
  useFavicon(isBroken ? '/icon-offline.svg' : home && isUrgent(home) ? '/icon-attention.svg' : '/icon.svg')
  return null
}

/** What is incomplete, or was left out once, can wait. */
const urgentProblems: ReadonlySet<BackupProblem> = new Set(['missed_twice', 'failed', 'no_config', 'broken_profile'])

/** A restart can wait. */
const urgentReasons: ReadonlySet<DeviceAttention> = new Set(['went_offline', 'disk_full', 'command_failed'])

const isUrgent = ({ attention, backups, devices }: Home): boolean =>
  (devices.byStatus.quarantined ?? 0) > 0 ||
  attention.some(({ reason }) => urgentReasons.has(reason)) ||
  backups.some(({ kind }) => urgentProblems.has(kind))
