import * as contract from '../../../shared/api/backup-keys.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { ApplianceRestic } from '../backup-engine/index.ts'
import type { RepositoryWork } from '../backup-maintenance/index.ts'
import type { BackupPolicies } from '../backup-policies/index.ts'
import type { BackupStorage } from '../backup-storage/index.ts'
import type { Mailer } from '../messaging/index.ts'
import { EncryptionKeys } from './encryption-keys.ts'
import { KeyRotation } from './key-rotation.ts'
import { RecoverySheets } from './recovery-sheet.ts'
import { RepositoryKeys } from './repository-keys.ts'
import { readRotation } from './rotation-status.ts'
import { SheetReminders } from './sheet-reminders.ts'

interface KeyDependencies extends BackupStorage, RepositoryWork {
  restic: ApplianceRestic
  mailer: Mailer
  backupPolicies: BackupPolicies
  /** The restic of the appliance; null when there is none. */
  findRestic: () => Promise<string | null>
}

/** The keys that open backups. */
export function createBackupKeys(services: Services, dependencies: KeyDependencies): Module<null> {
  const { db } = services
  const keys = new EncryptionKeys({ ...services, ...dependencies })
  const sheets = new RecoverySheets({ ...services, ...dependencies })
  const reminders = new SheetReminders({ ...services, ...dependencies })
  const rows = new RepositoryKeys({ ...services, ...dependencies })
  const rotation = new KeyRotation({ ...services, ...dependencies, rows, folder: dependencies.resticFolder })
  return {
    api: null,
    routes: (http) => {
      http.user(contract.listEncryptionKeys, ({ actor, query }) => keys.list(actor, query))
      http.user(contract.createEncryptionKey, ({ actor, body, query }) => keys.create(actor, body, query.orgId))
      http.user(contract.readEncryptionKey, ({ actor, params, query }) => keys.read(actor, params.id, query.orgId))
      http.user(contract.rotateEncryptionKey, ({ actor, params, body, query }) =>
        keys.rotate(actor, params.id, body, query.orgId),
      )
      http.user(contract.updateEncryptionKey, ({ actor, params, query }) =>
        keys.deactivate(actor, params.id, query.orgId),
      )
      http.user(contract.deactivateEncryptionKey, ({ actor, params, query }) =>
        keys.deactivate(actor, params.id, query.orgId),
      )
      http.user(contract.openRecoverySheet, async ({ actor, query }) => ({
        data: await sheets.open(actor, query.orgId),
      }))
      http.user(contract.confirmRecoverySheet, ({ actor, body, query }) => ({
        data: sheets.confirm(actor, body.keyIds, query.orgId),
      }))
      http.user(contract.readKeyRotation, ({ actor, query }) => readRotation(db, actor, query))
    },
    jobs: [
      {
        name: 'backup.rotate-keys',
        description: 'Changes the keys of backup repositories after a rotation',
        schedule: '40 * * * * *',
        run: (signal) => rotation.run(signal),
      },
      {
        name: 'backup.remind-of-sheets',
        description: 'Reminds people each month of recovery sheets that nobody has locked away',
        schedule: '0 20 8 * * *',
        run: (signal) => reminders.run(signal),
      },
    ],
  }
}
