import * as contract from '../../../shared/api/backup-vaults.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { Attention } from '../backup-attention/index.ts'
import type { ApplianceRestic } from '../backup-engine/index.ts'
import type { BackupJobServices } from '../backup-jobs/index.ts'
import type { RepositoryWork } from '../backup-maintenance/index.ts'
import type { BackupSnapshots } from '../backup-snapshots/index.ts'
import type { BackupStorage } from '../backup-storage/index.ts'
import type { BackupStore } from '../backup-store/index.ts'
import type { Connections, DeviceWork } from '../device-connections/index.ts'
import type { DeviceServices } from '../devices/index.ts'
import type { SnapshotIndex } from '../snapshot-index/index.ts'
import { copiesIn, copiesOf } from './copy-lists.ts'
import { VaultCopies } from './vault-copies.ts'
import { VaultRepairs } from './vault-repairs.ts'
import { VaultRuns } from './vault-runs.ts'
import { VaultWatch } from './vault-watch.ts'
import { Vaults } from './vaults.ts'

interface VaultDependencies
  extends BackupStorage,
    RepositoryWork,
    Pick<DeviceServices, 'devices' | 'signals'>,
    Pick<BackupSnapshots, 'snapshots' | 'listings'> {
  index: SnapshotIndex
  made: BackupJobServices['made']
  attention: Attention
  restic: ApplianceRestic
  store: BackupStore
  connections: Connections
  work: DeviceWork
}

/** Second copies of backups elsewhere. */
export function createBackupVaults(
  services: Services,
  dependencies: VaultDependencies,
): Module<{ copies: VaultCopies; repaired: VaultRepairs['repaired'] }> {
  const { dataDir } = services.config
  const { made, work, signals, configs } = dependencies
  const copies = new VaultCopies({ ...services, ...dependencies })
  const runs = new VaultRuns({ ...services, ...dependencies, copies, dataDir })
  const watch = new VaultWatch({ ...services, ...dependencies, copies, runs, dataDir })
  const vaults = new Vaults({ ...services, ...dependencies, copies, runs, dataDir })
  runs.ended.on(
    ({ signal }) =>
      void watch.settle(signal).catch((err) => services.log.error({ err }, 'Second copies were not looked at')),
  )
  const repairs = new VaultRepairs({ ...services, ...dependencies, copies, vaults, dataDir })
  made.on((snapshot) => watch.noteMade(snapshot))
  work.connected.on(({ deviceId }) => watch.connected(deviceId))
  signals.retiring.on(({ deviceId }) => watch.turnOffOf(deviceId))
  signals.moving.on(({ deviceId }) => watch.turnOffOf(deviceId))
  configs.keepFor((configId) => (vaults.areIn(configId) ? 'second copies' : null))
  return {
    api: { copies, repaired: repairs.repaired },
    routes: (http) => {
      http.user(contract.listVaults, ({ actor, query }) => vaults.list(actor, query))
      http.user(contract.createVault, ({ actor, body, query }) => vaults.create(actor, body, query.orgId))
      http.user(contract.updateVault, ({ actor, params, body, query }) =>
        vaults.update(actor, params.id, body, query.orgId),
      )
      http.user(contract.deleteVault, ({ actor, params, query }) => {
        vaults.remove(actor, params.id, query.orgId)
        return { deleted: true as const, id: params.id }
      })
      http.user(contract.syncVault, ({ actor, params, body, query }) =>
        vaults.sync(actor, params.id, body, query.orgId),
      )
      http.user(contract.repairFromVault, ({ actor, params, body, query }) =>
        repairs.start(actor, params.id, body, query.orgId),
      )
      http.user(contract.readVaultStatus, ({ actor, params, query }) => vaults.status(actor, params.id, query.orgId))
      http.user(contract.listVaultCopies, ({ actor, params, query }) =>
        copiesIn(services.db, actor, vaults.find(actor, params.id, query.orgId).id, query),
      )
      http.user(contract.listSnapshotCopies, ({ actor, params, query }) =>
        copiesOf(services.db, actor, params.id, query.orgId),
      )
    },
    jobs: [
      {
        name: 'backup.sync-copies',
        description: 'Begins syncs of second copies that are due and whose disk is there',
        schedule: '20 * * * * *',
        run: (signal) => watch.run(signal),
      },
      {
        name: 'backup.watch-copies',
        description: 'Finds out what second copies lack, and which are late',
        schedule: '25 */5 * * * *',
        runsAtStart: true,
        run: (signal) => watch.lookAtAll(signal),
      },
    ],
  }
}
