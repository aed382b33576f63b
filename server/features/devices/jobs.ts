import type { Job } from '../../platform/jobs.ts'
import type { Devices } from './devices.ts'
import type { Metrics } from './metrics.ts'
import type { Presence } from './presence.ts'

export const deviceJobs = (devices: Devices, presence: Presence, metrics: Metrics): Job[] => [
  {
    name: 'devices.mark-silent',
    description: 'Turns devices offline that have not been heard for too long',
    schedule: '*/30 * * * * *',
    run: () => presence.markSilent(),
  },
  {
    name: 'devices.end-maintenance',
    description: 'Ends maintenance windows that have passed',
    schedule: '0 * * * * *',
    run: () => presence.endMaintenance(),
  },
  {
    name: 'devices.reap-uninstalled',
    description: 'Decommissions devices whose agent was uninstalled a day ago',
    schedule: '0 */15 * * * *',
    run: () => presence.reapUninstalled((id) => devices.decommissionBySystem(id, 'uninstall_intent_reaped')),
  },
  {
    name: 'devices.prune-metrics',
    description: 'Deletes metrics older than thirty days',
    schedule: '0 20 3 * * *',
    run: (signal) => metrics.prune(signal),
  },
]
