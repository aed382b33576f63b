import type { VerificationType } from '../../../shared/api/backup-verification.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { AppError } from '../../platform/errors.ts'
import { engineOf } from '../backup-engine/index.ts'
import type { RepositoryWork } from '../backup-maintenance/index.ts'
import type { SnapshotRow } from '../backup-snapshots/index.ts'
import type { Repositories } from '../backup-storage/index.ts'
import type { Device } from '../devices/index.ts'

interface PlaceServices extends Pick<RepositoryWork, 'maintenance'> {
  db: Database
  repositories: Repositories
  /** The restic of the appliance; null when there is none. */
  findRestic: () => Promise<string | null>
}

export interface CheckPlace {
  ranOn: 'device' | 'appliance'
  /** How much data a quick check reads, as restic takes it; null for all. */
  quickSubset: string | null
}

const mebibyte = 1024 ** 2
/** Of the store of the appliance, which lies on its own disk. */
const quickInStore = 256
/** Elsewhere reading costs traffic, and may cost money. */
const quickElsewhere = 16
/** On a device its user works. */
const quickOnDevice = 64

/**
 * Who makes a check. The appliance reads what it reaches itself: it is there at night, and need not believe the device.
 * Restoring for proof is the business of the device.
 */
export class CheckPlaces {
  readonly #services: PlaceServices

  constructor(services: PlaceServices) {
    this.#services = services
  }

  /** Null when nothing can be read there: the storage is turned off or gone, or its organization is frozen. */
  async of(snapshot: SnapshotRow, type: VerificationType): Promise<CheckPlace | null> {
    const { repositories, maintenance, findRestic } = this.#services
    const onDevice: CheckPlace = { ranOn: 'device', quickSubset: `${quickOnDevice}M` }
    if (snapshot.repository_id === null) return this.#isStorageOn(snapshot) ? onDevice : null
    const repository = repositories.find(snapshot.repository_id)
    const place = repository ? maintenance.placeOf(repository) : null
    if (!repository || place === null) return null
    if (type === 'test_restore' || place === 'device' || (await findRestic()) === null) return onDevice
    if (place === 'elsewhere') return { ranOn: 'appliance', quickSubset: `${quickElsewhere}M` }
    const isSmall = repository.stored_bytes <= quickInStore * mebibyte
    return { ranOn: 'appliance', quickSubset: isSmall ? null : `${quickInStore}M` }
  }

  /** @throws AppError why the device cannot be asked */
  assertDeviceCan(device: Device, snapshot: SnapshotRow): void {
    if (device.status === 'offline' || device.status === 'pending') throw new AppError('verification_device_offline')
    if (device.status === 'decommissioned') throw new AppError('device_decommissioned_no_commands')
    if (device.status === 'quarantined') throw new AppError('device_quarantined')
    const engine = engineOf(device.backup_version)
    if (engine === 'none') throw new AppError('backup_engine_missing')
    // Each engine reads its own snapshots only.
    if ((snapshot.repository_id === null) !== (engine === 'public'))
      throw new AppError('restore_legacy_snapshot', { reason: 'legacy_snapshot' })
  }

  #isStorageOn({ config_id }: SnapshotRow): boolean {
    const active = q.selectFrom('backup_configs').select('id').where('id', '=', config_id).where('is_active', '=', 1)
    return this.#services.db.first(active) !== undefined
  }
}
