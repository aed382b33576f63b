import { randomUUIDv7 } from 'node:crypto'
import type { z } from 'zod'
import type { ResticEngine } from '../../../shared/device/backup.ts'
import type { ReportedResult } from '../../../shared/device/commands.ts'
import type { Database } from '../../db/database.ts'
import type { DeviceActor } from '../../platform/actor.ts'
import { minute } from '../../platform/clock.ts'
import type { ResticEngines } from '../backup-engine/index.ts'
import { objectIn } from '../backup-jobs/index.ts'
import type { RepositoryRow } from '../backup-storage/index.ts'
import type { Connections, DeviceWork } from '../device-connections/index.ts'
import { mayWork } from '../devices/index.ts'

interface DeviceServices {
  db: Database
  connections: Connections
  work: DeviceWork
  engines: ResticEngines
}

interface Awaited {
  deviceId: string
  end: PromiseWithResolvers<ReportedResult>
  heard: (progress: unknown) => void
}

/** Work in a repository for its device. */
export interface DeviceCall<Outcome> {
  type: 'backup_maintain' | 'backup_key' | 'vault_sync'
  payloadWith: (engine: ResticEngine) => Record<string, unknown>
  outcome: z.ZodType<Outcome>
  /** Only to read the repository. */
  isReading?: true
  onProgress?: (progress: unknown) => void
}

/** A device says at least once a minute that it is still at it. */
const silenceMs = 15 * minute
/** Until it has ended restic. */
const stopMs = minute

/** Why a device did not do it, in its own words. */
export class DeviceRefused extends Error {
  override name = 'DeviceRefused'
}

/** Work in repositories that their device does. What is under way ends with a restart of the appliance. */
export class DeviceRepositories {
  readonly #services: DeviceServices
  readonly #awaited = new Map<string, Awaited>()

  constructor(services: DeviceServices) {
    this.#services = services
    services.work.takeResults((actor, id, reported) => this.#take(actor, id, reported))
    services.work.progress.on(({ actor, id, progress }) => {
      const awaited = this.#awaited.get(id)
      if (awaited?.deviceId === actor.deviceId) awaited.heard(progress)
    })
  }

  isReachable({ device_id }: RepositoryRow): boolean {
    const { db, connections } = this.#services
    return connections.isConnected(device_id) && mayWork(db, device_id)
  }

  /**
   * Answers what the device says of it.
   * @throws DeviceRefused
   */
  async run<Outcome>(
    { org_id, config_id, device_id: deviceId }: RepositoryRow,
    { type, payloadWith, outcome, isReading, onProgress }: DeviceCall<Outcome>,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { db, connections, engines } = this.#services
    const id = randomUUIDv7()
    const where = { orgId: org_id, configId: config_id, deviceId, commandId: id }
    const mode = isReading ? 'read' : 'append'
    const opened = db.transaction(() => engines.open({ ...where, mode, limitUploadKib: null }))
    if (!opened) throw new DeviceRefused('The storage is turned off or gone')
    const end = Promise.withResolvers<ReportedResult>()
    const giveUp = () => end.reject(new DeviceRefused('The device has not answered'))
    let timer = setTimeout(giveUp, silenceMs)
    const heard = (patienceMs = silenceMs) => {
      clearTimeout(timer)
      timer = setTimeout(giveUp, patienceMs)
    }
    const stop = () => {
      connections.send(deviceId, { id: `repository-stop-${id}`, type: 'backup_stop', payload: { jobId: id } })
      heard(stopMs)
    }
    const take = (progress: unknown) => {
      if (signal.aborted) return
      heard()
      engines.prolong(id)
      onProgress?.(progress)
    }
    this.#awaited.set(id, { deviceId, end, heard: take })
    signal.addEventListener('abort', stop, { once: true })
    try {
      if (!connections.send(deviceId, { id, type, payload: payloadWith(opened.engine) }))
        throw new DeviceRefused('Not connected')
      const reported = await end.promise
      const said = outcome.safeParse(objectIn(reported.result))
      if (reported.status === 'completed' && said.success) return said.data
      throw new DeviceRefused(reported.error ?? 'The device did not say what it has done')
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      this.#awaited.delete(id)
      engines.close(id)
    }
  }

  /** False for what is none of ours. */
  #take(actor: DeviceActor, id: string, reported: ReportedResult): boolean {
    const awaited = this.#awaited.get(id)
    if (awaited?.deviceId !== actor.deviceId) return false
    awaited.end.resolve(reported)
    return true
  }
}
