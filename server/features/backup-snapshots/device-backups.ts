import type { deleteDeviceBackups } from '../../../shared/api/backup-snapshots.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { notingDenied } from '../../platform/denied.ts'
import { AppError } from '../../platform/errors.ts'
import type { Repositories, RepositoryLocks } from '../backup-storage/index.ts'
import type { Devices } from '../devices/index.ts'
import { writableOrganization } from '../organization-access/index.ts'

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

  /**
   * Also those of organizations that the device was in before, which the actor has to have access to.
   * @throws AppError `device_must_be_decommissioned`, `device_backups_elsewhere`, `device_backups_protected`,
   *   `device_backups_held`, `device_backups_in_use`
   */
  remove(actor: UserActor, deviceId: string): ReplyOf<typeof deleteDeviceBackups> {
    const { db, audit, devices, repositories, locks } = this.#services
    return notingDenied(this.#services, actor, ['device_backups_protected', 'device_backups_held'], (tries) => {
      const device = devices.findWritable(actor, deviceId)
      const eventIn = (orgId: string, details: Record<string, unknown>) => ({
        action: 'backup.device.delete' as const,
        resourceType: 'device',
        resourceId: deviceId,
        resourceName: device.display_name ?? device.hostname,
        orgId,
        details,
      })
      if (device.status !== 'decommissioned') throw new AppError('device_must_be_decommissioned')
      const owners = this.#owners(deviceId)
      for (const orgId of owners) writableOrganization(db, actor, orgId, 'device_backups_elsewhere')
      tries(eventIn(device.org_id, {}))
      if (this.#isAnyProtected(deviceId)) throw new AppError('device_backups_protected')
      if (this.#isAnyHeld(deviceId)) throw new AppError('device_backups_held')
      if (!repositories.ofDevice(deviceId).every((repository) => locks.isFree(repository)))
        throw new AppError('device_backups_in_use')
      let snapshots = 0
      for (const orgId of new Set([device.org_id, ...owners])) {
        const own = q.deleteFrom('backup_snapshots').where('device_id', '=', deviceId).where('org_id', '=', orgId)
        const deleted = db.run(own)
        snapshots += deleted
        audit(actor, eventIn(orgId, { snapshots: deleted }))
      }
      repositories.forget(deviceId)
      return { data: { snapshots } }
    })
  }

  #owners(deviceId: string): string[] {
    const { db, repositories } = this.#services
    const snapshots = q.selectFrom('backup_snapshots').select('org_id').distinct().where('device_id', '=', deviceId)
    return [...db.all(snapshots), ...repositories.ofDevice(deviceId)].map(({ org_id }) => org_id)
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

  /** After an unusual change that nobody has called expected. */
  #isAnyHeld(deviceId: string): boolean {
    const changes = q.selectFrom('backup_unusual_changes').select('id').where('device_id', '=', deviceId)
    return this.#services.db.first(changes.where('state', 'in', ['open', 'held']).limit(1)) !== undefined
  }
}
