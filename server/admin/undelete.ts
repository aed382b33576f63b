import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import { openData } from '../db/open-data.ts'
import { q } from '../db/query.ts'
import { undeleteObjects } from '../features/backup-object-lock/index.ts'
import { BackupConfigs, openBucket, prefixOf } from '../features/backup-storage/index.ts'
import { untilDone } from '../lib/pieces.ts'
import { auditLater } from '../platform/audit-later.ts'
import { systemClock } from '../platform/clock.ts'
import { Destinations, Names, systemResolve } from '../platform/outbound/index.ts'
import { openSecrets } from '../platform/secrets.ts'

/**
 * Brings back the repositories of a device in S3 storage, of which somebody has deleted or written over objects.
 * @param named the id of the device, or its name where only one has it
 */
export async function undeleteRepositories(config: Config, named: string): Promise<string[]> {
  const db = openData(config)
  const destinations = new Destinations(new Names(systemResolve, systemClock), config.outboundAllowed)
  try {
    const device = deviceNamed(db, named)
    const configs = new BackupConfigs({
      db,
      clock: systemClock,
      audit: () => {},
      secrets: openSecrets(config.dataDir, config.secrets),
    })
    const repositories = q.selectFrom('backup_repositories').selectAll().where('device_id', '=', device.id)
    const lines: string[] = []
    for (const row of db.all(repositories)) {
      const storage = configs.open(row.config_id)
      if (storage?.row.provider !== 's3') continue
      const prefix = prefixOf(storage.details, row)
      const { shownAgain, putBack } = await openBucket(destinations, storage.details, untilDone, (bucket) =>
        undeleteObjects(bucket, prefix),
      )
      auditLater(db, systemClock, 'admin-shell', {
        action: 'backup.repository.undelete',
        resourceType: 'device',
        resourceId: device.id,
        resourceName: device.name,
        orgId: row.org_id,
        details: { shownAgain, putBack },
      })
      lines.push(
        `${storage.row.name}, ${prefix}: ${shownAgain} deleted objects brought back, ${putBack} put back over others`,
      )
    }
    if (lines.length === 0) throw new Error('The device has no backups in S3 storage that is turned on')
    return lines
  } finally {
    await destinations.close()
    db.close()
  }
}

function deviceNamed(db: Database, named: string): { id: string; name: string } {
  const all = q.selectFrom('devices').select(['id', 'hostname', 'display_name'])
  const found = db.all(
    all.where(({ or, eb }) => or([eb('id', '=', named), eb('hostname', '=', named), eb('display_name', '=', named)])),
  )
  const [device] = found
  if (!device) throw new Error(`There is no device ${named}`)
  if (found.length > 1)
    throw new Error(`Several devices have this name; give the id of one: ${found.map(({ id }) => id).join(', ')}`)
  return { id: device.id, name: device.display_name ?? device.hostname }
}
