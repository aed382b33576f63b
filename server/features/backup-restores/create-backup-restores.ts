import * as contract from '../../../shared/api/backup-restores.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { ResticEngines } from '../backup-engine/index.ts'
import type { BackupStorage } from '../backup-storage/index.ts'
import type { VaultCopies } from '../backup-vaults/index.ts'
import type { Connections, DeviceWork } from '../device-connections/index.ts'
import type { DeviceServices } from '../devices/index.ts'
import type { Inventory } from '../inventory/index.ts'
import type { SnapshotIndex } from '../snapshot-index/index.ts'
import { RestoreDispatch } from './dispatch.ts'
import { RestoreLedger } from './ledger.ts'
import { Restores } from './restores.ts'
import { RestoreResults } from './results.ts'
import { RestoreSources } from './sources.ts'
import { giveUpOnSilentRestores } from './watchdog.ts'

interface RestoreDependencies extends Pick<DeviceServices, 'devices' | 'signals'>, Pick<BackupStorage, 'locks'> {
  connections: Connections
  work: DeviceWork
  engines: ResticEngines
  inventory: Inventory
  index: SnapshotIndex
  copies: VaultCopies
}

/** Restores: asked for, handed to devices, followed, ended in exactly one way. */
export function createBackupRestores(services: Services, dependencies: RestoreDependencies): Module<null> {
  const { db } = services
  const { work, signals, index, locks, copies } = dependencies
  const ledger = new RestoreLedger({ ...services, ...dependencies })
  const dispatch = new RestoreDispatch({ ...services, ...dependencies, ledger })
  const sources = new RestoreSources(db, index, copies)
  const restores = new Restores({ ...services, ...dependencies, sources, dispatch, ledger })
  const results = new RestoreResults({ ...services, ledger })
  work.takeResults((actor, id, reported) => results.take(actor, id, reported))
  work.progress.on(({ actor, id, progress }) => results.progress(actor, id, progress))
  work.connected.on(({ deviceId }) => dispatch.pushes.toDevice(deviceId))
  locks.workedInBy(({ id }) => restores.areRunningFrom(id))
  locks.released.on(() => dispatch.pushes.toAll())
  signals.retiring.on(({ deviceId }) => restores.cancelOpen(deviceId))
  signals.moving.on(({ deviceId }) => restores.cancelOpen(deviceId))
  return {
    api: null,
    routes: (http) => {
      http.user(contract.createRestore, ({ actor, body, query }) => restores.create(actor, body, query.orgId))
      http.user(contract.previewRestore, ({ actor, body, query }) => restores.preview(actor, body, query.orgId))
      http.user(contract.listRestores, ({ actor, query }) => restores.list(actor, query))
      http.user(contract.readRestore, ({ actor, params, query }) => restores.read(actor, params.id, query.orgId))
      http.user(contract.cancelRestore, ({ actor, params, query }) => restores.cancel(actor, params.id, query.orgId))
    },
    jobs: [
      {
        name: 'restores.watch',
        description: 'Ends restores of which nothing is heard any more',
        schedule: '45 * * * * *',
        run: () => {
          giveUpOnSilentRestores(db, ledger, dispatch)
        },
      },
    ],
  }
}
