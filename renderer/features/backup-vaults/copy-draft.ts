import type { Vault } from '../../../shared/api/backup-vaults.ts'
import type { NewVault, VaultChange } from '../../data/backup-vaults.ts'

/** A second copy as it is typed in. */
export interface CopyDraft {
  place: Vault['place']
  /** Empty: all devices. */
  deviceId: string
  configId: string
  vaultPath: string
  vaultType: Vault['vaultType']
  name: string
  retentionCount: number | string
  when: 'each' | 'daily' | 'weekly'
  time: string
  dayOfWeek: number
  remindAfterDays: number | string
}

export const newCopy = (isAdministrator: boolean, deviceId: string): CopyDraft => ({
  place: isAdministrator ? 'appliance' : 'device',
  deviceId,
  configId: '',
  vaultPath: '',
  vaultType: 'usb',
  name: '',
  retentionCount: 14,
  when: 'each',
  time: '12:00',
  dayOfWeek: 5,
  remindAfterDays: 8,
})

export const draftOf = (vault: Vault): CopyDraft => ({
  place: vault.place,
  deviceId: vault.deviceId ?? '',
  configId: vault.configId ?? '',
  vaultPath: vault.place === 'storage' ? '' : vault.vaultPath,
  vaultType: vault.vaultType,
  name: vault.name,
  retentionCount: vault.retentionCount,
  when: vault.schedule === null ? 'each' : vault.schedule.frequency === 'weekly' ? 'weekly' : 'daily',
  time: vault.schedule?.time ?? '12:00',
  dayOfWeek: vault.schedule?.dayOfWeek ?? 5,
  remindAfterDays: vault.remindAfterDays ?? '',
})

export const keptRange = { min: 1, max: 100 }
export const reminderRange = { min: 1, max: 365 }

const within = (value: number | string, { min, max }: { min: number; max: number }) =>
  value !== '' && Number(value) >= min && Number(value) <= max

/** What is wrong, by field. */
export function problemsOf(draft: CopyDraft): Partial<Record<keyof CopyDraft, string>> {
  const { place, deviceId, configId, vaultPath, retentionCount, remindAfterDays, when, time } = draft
  const isRelative = !/^(\/|[a-z]:[/\\]|\\\\)/i.test(vaultPath.trim())
  return {
    ...(place === 'device' && deviceId === '' && { deviceId: 'Choose a device' }),
    ...(place === 'storage' && configId === '' && { configId: 'Choose a storage' }),
    ...(place !== 'storage' &&
      isRelative && { vaultPath: 'Enter the whole path, such as /media/backup or E:\\Backup' }),
    ...(!within(retentionCount, keptRange) && { retentionCount: 'Enter a number from 1 to 100' }),
    ...(remindAfterDays !== '' &&
      !within(remindAfterDays, reminderRange) && { remindAfterDays: 'Enter a number from 1 to 365' }),
    ...(when !== 'each' && time === '' && { time: 'Enter a time' }),
  }
}

const common = ({ name, vaultType, retentionCount, remindAfterDays, when, time, dayOfWeek }: CopyDraft) => ({
  ...(name.trim() && { name: name.trim() }),
  vaultType,
  retentionCount: Number(retentionCount),
  remindAfterDays: remindAfterDays === '' ? null : Number(remindAfterDays),
  schedule:
    when === 'each'
      ? null
      : when === 'daily'
        ? { frequency: 'daily' as const, time }
        : { frequency: 'weekly' as const, time, dayOfWeek },
})

export const newVaultOf = (draft: CopyDraft): NewVault => ({
  ...common(draft),
  place: draft.place,
  deviceId: draft.deviceId || null,
  ...(draft.place === 'storage' ? { configId: draft.configId } : { vaultPath: draft.vaultPath.trim() }),
})

export const changeOf = (draft: CopyDraft, vault: Vault): VaultChange => ({
  ...common(draft),
  ...(vault.place !== 'storage' && draft.vaultPath.trim() !== vault.vaultPath && { vaultPath: draft.vaultPath.trim() }),
})
