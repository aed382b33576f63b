import { randomUUIDv7 } from 'node:crypto'
import type { previewBackup } from '../../../shared/api/backup-preview.ts'
import { wholeSystem } from '../../../shared/device/backup-places.ts'
import {
  type BackupPreview,
  backupPreview,
  type PreviewPayload,
  previewSeconds,
} from '../../../shared/device/backup-preview.ts'
import type { ReportedResult } from '../../../shared/device/commands.ts'
import type { BodyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import type { DeviceActor, UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { second } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { assertFullPaths } from '../backup-profiles/index.ts'
import type { Connections } from '../device-connections/index.ts'
import type { Devices } from '../devices/index.ts'

interface PreviewServices {
  db: Database
  audit: Audit
  devices: Devices
  connections: Connections
}

type Wish = BodyOf<typeof previewBackup>

interface Waiting {
  id: string
  answer: (preview: BackupPreview) => void
  fail: (error: AppError) => void
}

/** A little more than the device takes. */
const patienceMs = (previewSeconds + 10) * second
const lookedAfterMs = second

/** Previews that devices work on at the moment; one a device. */
export class BackupPreviews {
  readonly #services: PreviewServices
  readonly #waiting = new Map<string, Waiting>()

  constructor(services: PreviewServices) {
    this.#services = services
  }

  /** Ends when the client leaves, and the device is told so. */
  async run(actor: UserActor, { deviceId, selection }: Wish, left: AbortSignal): Promise<BackupPreview> {
    const { connections } = this.#services
    const id = randomUUIDv7()
    this.#begin(actor, deviceId, selection)
    const answered = Promise.withResolvers<BackupPreview>()
    this.#waiting.set(deviceId, { id, answer: answered.resolve, fail: answered.reject })
    const begun = performance.now()
    const watch = setInterval(() => {
      const isLate = performance.now() - begun > patienceMs
      if (isLate || !connections.isConnected(deviceId)) answered.reject(new AppError('backup_preview_silent'))
    }, lookedAfterMs)
    const leave = () => answered.reject(new AppError('unavailable'))
    left.addEventListener('abort', leave)
    try {
      if (!connections.send(deviceId, { id, type: 'backup_preview', payload: payloadOf(selection) }))
        throw new AppError('backup_preview_offline')
      return await answered.promise
    } catch (error) {
      // One that has ended already does not mind.
      connections.send(deviceId, { id: `preview-stop-${id}`, type: 'backup_stop', payload: { jobId: id } })
      throw error
    } finally {
      clearInterval(watch)
      left.removeEventListener('abort', leave)
      this.#waiting.delete(deviceId)
    }
  }

  /** False when the device works on no preview of this id. */
  take({ deviceId }: DeviceActor, id: string, reported: ReportedResult): boolean {
    const waiting = this.#waiting.get(deviceId)
    if (waiting?.id !== id) return false
    const found = backupPreview.safeParse(reported.result).data
    if (reported.status === 'completed' && found) waiting.answer(found)
    else waiting.fail(new AppError('backup_preview_failed', { reason: reasonOf(reported) }))
    return true
  }

  stop(): void {
    for (const { fail } of this.#waiting.values()) fail(new AppError('unavailable'))
  }

  #begin(actor: UserActor, deviceId: string, selection: Wish['selection']): void {
    const { db, audit, devices, connections } = this.#services
    db.transaction(() => {
      const device = devices.findOperable(actor, deviceId)
      if (selection.mode === 'file') assertFullPaths(selection.targets.paths, [], 'selection.targets.paths')
      if (device.status === 'decommissioned') throw new AppError('device_decommissioned_no_commands')
      if (device.status === 'quarantined') throw new AppError('device_quarantined')
      if (!connections.isConnected(device.id)) throw new AppError('backup_preview_offline')
      if (this.#waiting.has(device.id)) throw new AppError('backup_preview_running')
      audit(actor, {
        action: 'backup.preview.run',
        resourceType: 'device',
        resourceId: device.id,
        resourceName: device.display_name ?? device.hostname,
        orgId: device.org_id,
        details: { mode: selection.mode },
      })
    })
  }
}

function payloadOf(selection: Wish['selection']): PreviewPayload {
  if (selection.mode === 'system_image') return { paths: [wholeSystem] }
  const { paths, excludes } = selection.targets
  return { paths, ...(excludes && { excludes }) }
}

/** What older agents say, and the public one, says nothing to people. */
function reasonOf({ error, status }: ReportedResult): string {
  if (error?.startsWith('unknown command type')) return 'its agent is too old for that'
  return error?.split('\n')[0] ?? (status === 'completed' ? 'its answer could not be read' : status)
}
