import type { Selectable } from 'kysely'
import type { BackupConfig } from '../../../shared/api/backup-configs.ts'
import { fromJson } from '../../lib/json.ts'
import { type Details, withoutSecrets } from './secrets-of-details.ts'
import type { BackupConfigTable } from './tables.ts'

export type ConfigRow = Selectable<BackupConfigTable>

export const configView = (row: ConfigRow, details: Details): BackupConfig => ({
  id: row.id,
  name: row.name,
  provider: row.provider,
  enabled: row.is_active === 1,
  isDefault: row.is_default === 1,
  // restic encrypts on the device, whatever the storage does.
  encryption: { enabled: true, status: 'enforced', mode: 'client' },
  details: withoutSecrets(details),
  providerCapabilities: row.provider_capabilities === null ? null : fromJson(row.provider_capabilities),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
