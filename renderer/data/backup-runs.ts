import { runAllBackups, runBackup } from '../../shared/api/backup-jobs.ts'
import { listDevices } from '../../shared/api/devices.ts'
import { api } from '../lib/api.ts'
import { ApiError } from '../lib/api-error.ts'
import { messageFor } from '../lib/error-messages.ts'
import { queryClient } from '../lib/query-client.ts'
import { backupKeys } from './backup-keys.ts'
import type { PolicyTarget } from './backup-policies.ts'

/** What became of the wish to back up several devices now. */
export interface RunsOutcome {
  /** Devices, or jobs where only these are known. */
  started: number
  offline: number
  running: number
  /** Why the others were not, each reason once, with how many. */
  refused: { reason: string; count: number }[]
}

const atOnce = 4

/** One after the other, four at a time. Confirming the identity is asked for by the first. */
async function runEach(deviceIds: readonly string[]): Promise<RunsOutcome> {
  const outcome = { started: 0, offline: 0, running: 0 }
  const reasons = new Map<string, number>()
  const left = [...deviceIds]
  const runOne = async (deviceId: string) => {
    try {
      await api.call(runBackup, { params: { deviceId }, query: {} })
      outcome.started++
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 'network' || error.code === 'MFA_REQUIRED') throw error
      if (error.code === 'backup_device_offline') outcome.offline++
      else if (error.code === 'backup_already_running') outcome.running++
      else reasons.set(messageFor(error), (reasons.get(messageFor(error)) ?? 0) + 1)
    }
  }
  const first = left.shift()
  if (first) await runOne(first)
  const runRest = async () => {
    for (let id = left.shift(); id; id = left.shift()) await runOne(id)
  }
  await Promise.all(Array.from({ length: atOnce }, runRest))
  return { ...outcome, refused: [...reasons].map(([reason, count]) => ({ reason, count })) }
}

async function runAll(orgId: string): Promise<RunsOutcome> {
  const { data } = await api.call(runAllBackups, { query: { orgId } })
  const { skippedOffline: offline, skippedRunning: running, skippedBrokenProfile, created: started } = data
  const refused = skippedBrokenProfile + data.failed + data.failedToCreate
  return {
    started,
    offline,
    running,
    refused: refused > 0 ? [{ reason: 'Their policy names no usable storage or profile.', count: refused }] : [],
  }
}

const pageSize = 100

async function devicesAt(orgId: string, { level, targetId }: PolicyTarget): Promise<string[]> {
  const filter = level === 'site' ? { siteId: targetId } : { groupIds: targetId }
  const ids: string[] = []
  for (let page = 1; ; page++) {
    const query = { orgId, ...filter, page: String(page), limit: String(pageSize) }
    const { data } = await api.call(listDevices, { query })
    for (const { id, status } of data) if (status !== 'decommissioned') ids.push(id)
    if (data.length < pageSize) return ids
  }
}

/** Backs up all devices of an organization that policies protect, or those of a site, of a group, or certain ones. */
export const backUpTarget = (orgId: string) => ({
  mutationFn: async (targets: readonly PolicyTarget[]): Promise<RunsOutcome> => {
    const [first] = targets
    if (!first || first.level === 'organization') return runAll(orgId)
    if (first.level === 'device') return runEach(targets.map(({ targetId }) => targetId))
    return runEach(await devicesAt(orgId, first))
  },
  onSettled: () => queryClient.invalidateQueries({ queryKey: backupKeys.jobs }),
})
