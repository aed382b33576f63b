import type { BackupConfig } from '../../../shared/api/backup-configs.ts'
import type { NewStorage } from '../../data/backup-storages.ts'
import { kindOf } from './storage-kinds.ts'

/** The store of the appliance needs nothing but a name. */
export const applianceStore = (isDefault: boolean): NewStorage => ({
  name: 'Appliance',
  provider: 'local',
  isDefault,
  details: { location: 'appliance' },
})

/** Where new policies back up to first: the default storage, then the appliance, then any that is on. */
export function firstChoice(storages: readonly BackupConfig[]): BackupConfig | undefined {
  const usable = storages.filter(({ enabled }) => enabled)
  return usable.find(({ isDefault }) => isDefault) ?? usable.find((one) => kindOf(one) === 'appliance') ?? usable.at(0)
}
