import type { Refusals } from './refusals.ts'

export const backupVaultsErrors = {
  backup_vault_not_found: { status: 404, error: 'Vault not found', onScreen: 'This second copy no longer exists.' },
  backup_vault_inactive: {
    status: 400,
    error: 'Vault is inactive',
    onScreen: 'This second copy is turned off. Turn it on first.',
  },
  backup_vault_device_offline: {
    status: 409,
    error: 'Device is offline, cannot execute command',
    onScreen: 'The device is offline. It makes the copy when it is back.',
  },
  backup_vault_needs_device: {
    status: 400,
    error: 'Name the device whose folder that is',
    onScreen: 'Choose the device whose folder this is.',
  },
  backup_vault_needs_storage: {
    status: 400,
    error: 'A second copy in storage needs a configId, and no other second copy does',
    onScreen: 'Choose the storage for the second copy.',
  },
  backup_vault_storage_unfit: {
    status: 400,
    error: 'A second copy cannot go to storage of the kind local; name the folder instead',
    onScreen: 'For a folder, choose “A disk at the appliance” or “A disk at the device” and type its path.',
  },
  backup_vault_path_unfit: {
    status: 400,
    error: 'A second copy needs the whole path of a folder outside the data folder of the appliance',
    onScreen: 'Type the whole path of a folder that isn’t in the data folder of the appliance.',
  },
  backup_vault_snapshot_unfit: {
    status: 409,
    error: 'This snapshot has expired, or is of a device that the second copy is not for',
    onScreen: 'This snapshot has expired, or is of a device that this second copy isn’t for.',
  },
  backup_vault_exists: {
    status: 409,
    error: 'There is a second copy of these backups in that storage already',
    onScreen: 'These backups have a second copy in this storage already.',
  },
  backup_repair_nothing: {
    status: 409,
    error: 'The second copy has nothing of this device',
    onScreen: 'This second copy has no backups of the device.',
  },
  backup_repair_out_of_reach: {
    status: 409,
    error: 'Only backups on the appliance are repaired, from a second copy that the appliance reaches',
    onScreen:
      'Only backups on the appliance can be repaired, from a second copy that the appliance reaches. Restore from the second copy instead.',
  },
  backup_vault_two_storages: {
    status: 409,
    error: 'A second copy in storage is made of backups that lie on the appliance only',
    onScreen: 'Second copies in other storage are made of backups on the appliance only.',
  },
  backup_vault_unreadable: {
    status: 409,
    error: 'The second copy could not be opened',
    onScreen: 'The second copy couldn’t be opened: {reason}',
  },
} as const satisfies Refusals
