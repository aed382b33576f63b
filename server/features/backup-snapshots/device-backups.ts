import type { deleteDeviceBackups } from '../../../shared/api/backup-snapshots.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { Repositories, RepositoryLocks } from '../backup-storage/index.ts'
import type { Devices } from '../devices/index.ts'

interface DeviceBackupServices {
  db: Database
  clock: Clock
  audit: Audit
  devices: Pick<Devices, 'findWritable'>
  repositories: Repositories
  locks: RepositoryLocks
}

/** All backups of a device that does not come back. */
export class DeviceBackups {
  readonly #services: DeviceBackupServices

  constructor(services: DeviceBackupServices) {
    this.#services = services
  }

  /** @throws AppError `device_must_be_decommissioned`, `device_backups_protected`, `device_backups_in_use` */
  remove(actor: UserActor, deviceId: string): ReplyOf<typeof deleteDeviceBackups> {
    const { db, audit, devices, repositories, locks } = this.#services
    return db.transaction(() => {
      const device = devices.findWritable(actor, deviceId)
      if (device.status !== 'decommissioned') throw new AppError('device_must_be_decommissioned')
      if (this.#isAnyProtected(deviceId)) throw new AppError('device_backups_protected')
      if (!repositories.ofDevice(deviceId).every((repository) => locks.isFree(repository)))
        throw new AppError('device_backups_in_use')
      const snapshots = db.run(q.deleteFrom('backup_snapshots').where('device_id', '=', deviceId))
      repositories.forget(deviceId)
      audit(actor, {
        action: 'backup.device.delete',
        resourceType: 'device',
        resourceId: deviceId,
        resourceName: device.display_name ?? device.hostname,
        orgId: device.org_id,
        details: { snapshots },
      })
      return { data: { snapshots } }
    })
  }

  #isAnyProtected(deviceId: string): boolean {
    const { db, clock } = this.#services
    const held = q
      .selectFrom('backup_snapshots')
      .select('id')
      .where('device_id', '=', deviceId)
      .where((where) =>
        where.or([
          where('legal_hold', '=', 1),
          where.and([
            where('is_immutable', '=', 1),
            where.or([where('immutable_until', 'is', null), where('immutable_until', '>', isoNow(clock))]),
          ]),
        ]),
      )
    return db.first(held.limit(1)) !== undefined
  }
}
