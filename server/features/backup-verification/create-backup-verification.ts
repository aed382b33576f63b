import * as contract from '../../../shared/api/backup-verification.ts'
import { q } from '../../db/query.ts'
import { inPieces } from '../../lib/pieces.ts'
import { day, iso } from '../../platform/clock.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { Attention } from '../backup-attention/index.ts'
import type { ApplianceRestic, ResticEngines } from '../backup-engine/index.ts'
import type { BackupJobServices } from '../backup-jobs/index.ts'
import type { RepositoryWork } from '../backup-maintenance/index.ts'
import type { FileListings } from '../backup-snapshots/index.ts'
import type { BackupStorage } from '../backup-storage/index.ts'
import type { VaultRepairs } from '../backup-vaults/index.ts'
import type { Connections, DeviceWork } from '../device-connections/index.ts'
import type { DeviceServices } from '../devices/index.ts'
import type { SnapshotIndex } from '../snapshot-index/index.ts'
import { ApplianceChecks } from './appliance-checks.ts'
import { SnapshotChecksums } from './checksums.ts'
import { DataReads } from './data-reads.ts'
import { DeviceChecks } from './device-checks.ts'
import { VerificationLedger } from './ledger.ts'
import { NewSnapshots } from './new-snapshots.ts'
import { CheckPlaces } from './places.ts'
import { Starts } from './starts.ts'
import { TestRestores } from './test-restores.ts'
import { Verifications } from './verifications.ts'

interface VerificationDependencies
  extends Pick<DeviceServices, 'devices' | 'signals'>,
    Pick<BackupStorage, 'locks' | 'repositories'>,
    Pick<BackupJobServices, 'made'>,
    Pick<RepositoryWork, 'maintenance'>,
    Pick<VaultRepairs, 'repaired'> {
  connections: Connections
  work: DeviceWork
  engines: ResticEngines
  restic: ApplianceRestic
  index: SnapshotIndex
  listings: FileListings
  attention: Attention
  /** The restic of the appliance; null when there is none. */
  findRestic: () => Promise<string | null>
}

export interface VerificationServices {
  /** A check is over, of a device that stays. In its transaction. */
  checked: VerificationLedger['checked']
}

/** Checks are kept so long that a year can be shown to an auditor. */
const keptMs = 400 * day

/** Backups are proven: their data is read, and files are restored and compared. */
export function createBackupVerification(
  services: Services,
  dependencies: VerificationDependencies,
): Module<VerificationServices> {
  const { db, clock } = services
  const { work, signals, locks, made, repaired } = dependencies
  const ledger = new VerificationLedger({ ...services, ...dependencies })
  const checksums = new SnapshotChecksums(services)
  const places = new CheckPlaces({ ...services, ...dependencies })
  const onAppliance = new ApplianceChecks({ ...services, ...dependencies, ledger })
  const onDevices = new DeviceChecks({ ...services, ...dependencies, ledger, checksums })
  const starts = new Starts({ ...services, ledger, onAppliance, onDevices })
  const parts = { ...services, ...dependencies, places, ledger, starts, onAppliance }
  const verifications = new Verifications(parts)
  const newSnapshots = new NewSnapshots(parts)
  const testRestores = new TestRestores(parts)
  const dataReads = new DataReads(parts)
  made.on(({ id, checksums: files }) => checksums.keep(id, files))
  repaired.on(({ repositoryId }) => newSnapshots.readAllOf(repositoryId))
  work.takeResults((actor, id, reported) => onDevices.take(actor, id, reported))
  work.progress.on(({ actor, id }) => onDevices.progress(actor, id))
  work.connected.on(({ deviceId }) => onDevices.pushes.toDevice(deviceId))
  locks.workedInBy(({ id }) => onDevices.isRunningIn(id))
  locks.released.on(() => onDevices.pushes.toAll())
  signals.retiring.on(({ deviceId }) => starts.cancelOpen(deviceId, 'Canceled because the device left service'))
  signals.moving.on(({ deviceId }) =>
    starts.cancelOpen(deviceId, 'Canceled because the device was moved to another organization'),
  )
  const forgetOld = (maxRows: number) => {
    const old = q.selectFrom('backup_verifications').select('id')
    const before = iso(clock.now() - keptMs)
    const some = old.where('created_at', '<', before).limit(maxRows)
    return db.run(q.deleteFrom('backup_verifications').where('id', 'in', some))
  }
  return {
    api: { checked: ledger.checked },
    routes: (http) => {
      http.user(contract.verifyBackup, ({ actor, body, query }) => verifications.verify(actor, body, query.orgId))
      http.user(contract.listVerifications, ({ actor, query }) => verifications.list(actor, query))
      http.user(contract.summarizeVerifications, ({ actor, query }) => verifications.summary(actor, query.orgId))
    },
    jobs: [
      {
        name: 'backup.verify-new',
        description: 'Reads some of the data of new backups',
        schedule: '20 */10 * * * *',
        run: (signal) => newSnapshots.check(signal),
      },
      {
        name: 'backup.test-restores',
        description: 'Has devices restore their newest backup for proof, once a week',
        schedule: '25 */10 * * * *',
        run: (signal) => testRestores.start(signal),
      },
      {
        name: 'backup.read-data',
        description: 'Reads all data of repositories, a part each night',
        schedule: '0 35 1-4 * * *',
        run: async (signal) => {
          await dataReads.run(signal)
        },
      },
      {
        name: 'backup.verify-watch',
        description: 'Ends checks of backups of which nothing is heard any more',
        schedule: '35 * * * * *',
        run: async (signal) => {
          starts.giveUpOnSilent()
          await inPieces(signal, forgetOld)
        },
      },
    ],
  }
}
