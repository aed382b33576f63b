import type { Job } from '../../platform/jobs.ts'
import type { Devices } from './devices.ts'
import type { Metrics } from './metrics.ts'
import type { Presence } from './presence.ts'
import type { PresenceHistory } from './presence-history.ts'

export const deviceJobs = (devices: Devices, presence: Presence, history: PresenceHistory, metrics: Metrics): Job[] => [
  {
    name: 'devices.mark-silent',
    description: 'Marks devices as offline after five minutes without a heartbeat',
    schedule: '*/30 * * * * *',
    run: () => presence.markSilent(),
  },
  {
    name: 'devices.end-maintenance',
    description: 'Ends maintenance windows that are over',
    schedule: '0 * * * * *',
    run: () => presence.endMaintenance(),
  },
  {
    name: 'devices.reap-uninstalled',
    description: 'Decommissions devices a day after their agent was uninstalled',
    schedule: '0 */15 * * * *',
    run: () => presence.reapUninstalled((id) => devices.decommissionBySystem(id, 'uninstall_intent_reaped')),
  },
  {
    name: 'devices.prune-metrics',
    description: 'Deletes metrics older than 30 days',
    schedule: '0 20 3 * * *',
    run: (signal) => metrics.prune(signal),
  },
  {
    name: 'devices.prune-presence',
    description: 'Deletes when devices were online or offline, older than 24 hours',
    schedule: '0 40 3 * * *',
    run: (signal) => history.prune(signal),
  },
]
