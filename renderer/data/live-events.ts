import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { events, type LiveEvent } from '../../shared/api/events.ts'
import { api } from '../lib/api.ts'
import { backupKeys } from './backup-keys.ts'
import { applyJob, applyRestore } from './backup-live.ts'
import { commandKeys } from './commands.ts'
import {
  deviceKeys,
  type deviceQuery,
  type devicesQuery,
  metricRanges,
  type metricsQuery,
  type presenceQuery,
} from './devices.ts'
import { enrollmentKeyKeys } from './enrollment-keys.ts'
import { homeKeys } from './home.ts'
import { organizationDependentKeys } from './lifecycle.ts'
import { appendOutput, appendPoint, type CommandWithOutput, patchPage, withMetrics, withStatus } from './live-rows.ts'
import { organizationKeys } from './organizations.ts'
import { staleReadiness } from './stale-readiness.ts'

/** With a `deviceId`, the stream also carries the metrics, inventory and commands of that device. */
export const openEventStream = (deviceId: string | undefined, signal: AbortSignal) =>
  api.open(events, { query: { deviceId } }, signal)

type DataOf<Q extends (...args: never[]) => { queryFn?: unknown }> =
  NonNullable<ReturnType<Q>['queryFn']> extends (...args: never[]) => infer R ? Awaited<R> : never
type DevicePage = DataOf<typeof devicesQuery>
type Detail = DataOf<typeof deviceQuery>
type Series = DataOf<typeof metricsQuery>
type Presence = DataOf<typeof presenceQuery>

type Of<T extends LiveEvent['type']> = Extract<LiveEvent, { type: T }>

/**
 * Updates cached data with one live event. Rows are patched in place; what a patch cannot know (order, totals,
 * counts) goes to `stale`, which refetches it at a limited rate.
 */
export function applyLiveEvent(client: QueryClient, event: LiveEvent, stale: (key: QueryKey) => void) {
  switch (event.type) {
    case 'hello':
    case 'goodbye':
    case 'audit.written':
      return
    case 'device.status':
      patchRows(client, event.deviceId, (row) => withStatus(row, event))
      stale(deviceKeys.stats)
      stale(deviceKeys.lists)
      stale(homeKeys.all)
      stalePresence(client, event.deviceId, stale)
      return
    case 'device.changed':
      stale(deviceKeys.one(event.deviceId))
      stale(deviceKeys.lists)
      return
    case 'device.enrolled':
    case 'device.removed':
      for (const key of [deviceKeys.stats, deviceKeys.lists, deviceKeys.one(event.deviceId), homeKeys.all]) stale(key)
      for (const key of [organizationKeys.all, organizationKeys.sites, enrollmentKeyKeys.all]) stale(key)
      stalePresence(client, event.deviceId, stale)
      return
    case 'organization.changed':
      for (const key of [...organizationDependentKeys, homeKeys.all]) stale(key)
      return
    case 'backup.job':
      return applyJob(client, event.job, stale)
    case 'backup.sla':
      for (const key of [backupKeys.sla, backupKeys.reports, homeKeys.all]) stale(key)
      return
    case 'backup.sla_breach':
      // What is shown is read again after `backup.sla`.
      return
    case 'backup.restore':
      return applyRestore(client, event.restore, stale)
    case 'backup.verification':
      stale(backupKeys.verifications)
      return
    case 'backup.verification_passed':
    case 'backup.verification_failed':
      // What needs attention may have changed.
      for (const key of [backupKeys.verifications, backupKeys.reports]) stale(key)
      return staleReadiness(client, event.deviceId, stale)
    case 'backup.recovery_readiness_low':
      return staleReadiness(client, event.deviceId, stale)
    case 'device.metrics':
      return applyMetrics(client, event)
    case 'device.inventory':
      stale(deviceKeys.one(event.deviceId))
      return
    case 'command.changed':
      stale(commandKeys.list(event.deviceId))
      return applyCommand(client, event)
    case 'command.output':
      return applyOutput(client, event, stale)
  }
}

function patchRows(
  client: QueryClient,
  id: string,
  patch: <Row extends DevicePage['data'][number] | Detail>(row: Row) => Row,
) {
  client.setQueriesData<DevicePage>(
    { queryKey: deviceKeys.lists },
    (page) => page && patchPage<DevicePage, DevicePage['data'][number]>(page, id, patch),
  )
  client.setQueryData<Detail>(deviceKeys.one(id), (detail) => detail && patch(detail))
}

/** Only where the device is shown: a fleet has many changes, and each answer is about a page of it. */
function stalePresence(client: QueryClient, deviceId: string, stale: (key: QueryKey) => void) {
  for (const [key, known] of client.getQueriesData<Presence>({ queryKey: deviceKeys.presence }))
    if (known?.data.some((one) => one.deviceId === deviceId)) stale(key)
}

function applyMetrics(client: QueryClient, event: Of<'device.metrics'>) {
  patchRows(client, event.deviceId, (row) => withMetrics(row, event))
  const { point } = event
  if (!point) return
  for (const [range, { ms, isLive }] of Object.entries(metricRanges)) {
    if (!isLive) continue
    client.setQueryData<Series>(
      [...deviceKeys.part(event.deviceId, 'metrics'), range],
      (series) => series && { ...series, data: appendPoint(series.data, point, ms) },
    )
  }
}

function applyCommand(client: QueryClient, event: Of<'command.changed'>) {
  const { deviceId, command } = event
  client.setQueriesData<{ data: (typeof command)[] }>(
    { queryKey: commandKeys.list(deviceId) },
    (page) => page && patchPage(page, command.id, () => command),
  )
  client.setQueryData<CommandWithOutput>(
    commandKeys.one(deviceId, command.id),
    (known) => known && { ...known, ...command },
  )
}

function applyOutput(client: QueryClient, event: Of<'command.output'>, stale: (key: QueryKey) => void) {
  const key = commandKeys.one(event.deviceId, event.commandId)
  const known = client.getQueryData<CommandWithOutput>(key)
  const next = known && appendOutput(known, event)
  if (next === 'gap') stale(key)
  else if (next && next !== known) client.setQueryData(key, next)
  // Output that arrives while the command is being read may be older or newer than the reply.
  else if (!known && client.getQueryState(key)?.fetchStatus === 'fetching') stale(key)
}
