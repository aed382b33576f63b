import { z } from 'zod'
import { backupSchedule } from '../backup-plan.ts'
import { vaultTypes } from '../device/backup-vaults.ts'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, lineOfText, pathId, uuid } from '../fields.ts'
import { paged, pageLimit, pageNumber } from '../paging.ts'

/** Second copies of backups: in a folder that a device reaches, in one that the appliance reaches, or in other storage. */

export const vaultPlaces = ['device', 'appliance', 'storage'] as const
export type VaultPlace = (typeof vaultPlaces)[number]

const syncStatus = z.enum(['pending', 'running', 'completed', 'failed'])

const vaultStatus = {
  id: z.uuid(),
  /** Null: all devices of the organization. */
  deviceId: z.uuid().nullable(),
  isActive: z.boolean(),
  lastSyncAt: instant.nullable(),
  lastSyncStatus: syncStatus.nullable(),
  /** As restic names it in the first repository. */
  lastSyncSnapshotId: z.string().nullable(),
  syncSizeBytes: z.int().nullable(),
  lastSyncError: z.string().nullable(),
  /** What a sync that is due waits for. */
  waitingFor: z.enum(['medium', 'device']).nullable(),
  waitingSince: instant.nullable(),
  /** Backups have waited longer for it than the reminder says. */
  isLate: z.boolean(),
  /** While it runs: which of how many snapshots is copied. */
  progress: z.object({ done: z.int(), total: z.int(), percent: z.number().nullable() }).nullable(),
}

export const vault = z.object({
  ...vaultStatus,
  name: z.string(),
  deviceName: z.string().nullable(),
  vaultPath: z.string(),
  vaultType: z.enum(vaultTypes),
  retentionCount: z.int(),
  place: z.enum(vaultPlaces),
  configId: z.uuid().nullable(),
  configName: z.string().nullable(),
  /** Null: after each backup. */
  schedule: backupSchedule.extend({ timezone: z.string().optional() }).nullable(),
  /** Null: never. */
  remindAfterDays: z.int().nullable(),
  /** Devices that have something in it, and how many snapshots that is. */
  devices: z.int(),
  snapshots: z.int(),
  /** When all copies in it were last read back, at least in part; null while one never was. What is wrong with one. */
  checkedAt: instant.nullable(),
  damage: z.string().nullable(),
  createdAt: instant,
  updatedAt: instant,
})
export type Vault = z.infer<typeof vault>

const params = z.object({ id: pathId })
const ofOrganization = z.object({ orgId: uuid.optional() })
const read = userAccess('organizations:read', { or: 'backup:read' })
const write = userAccess('organizations:write', { mfa: 'session' })

const vaultPath = z
  .string()
  .min(1)
  .max(1024)
  .refine((path) => !path.split(/[/\\]/).includes('..'), 'Path traversal not allowed')
  .refine((path) => !path.includes('\0'), 'Null bytes not allowed in path')

const changeable = {
  name: lineOfText(100).optional(),
  vaultPath: vaultPath.optional(),
  vaultType: z.enum(vaultTypes).optional(),
  retentionCount: z.int().min(1).max(100).optional(),
  schedule: backupSchedule.nullable().optional(),
  remindAfterDays: z.int().min(1).max(365).nullable().optional(),
}

export const listVaults = endpoint({
  name: 'backup-vaults.list',
  method: 'GET',
  path: '/backup/vault',
  summary: 'Where second copies of backups go, also those that are turned off; of a device, with those of all devices',
  access: read,
  query: ofOrganization.extend({ deviceId: uuid.optional() }),
  reply: z.object({ data: z.array(vault) }),
})

export const createVault = endpoint({
  name: 'backup-vaults.create',
  method: 'POST',
  path: '/backup/vault',
  summary:
    'Add a second copy of the backups of a device, or of all if none is named: in a folder of the device, in one of the appliance (which takes an administrator of the appliance), or in other storage',
  access: write,
  query: ofOrganization,
  body: z.object({
    ...changeable,
    deviceId: uuid.nullable().optional(),
    place: z.enum(vaultPlaces).default('device'),
    /** With `storage`. */
    configId: uuid.optional(),
    vaultType: z.enum(vaultTypes).default('local'),
    retentionCount: z.int().min(1).max(100).default(3),
    schedule: backupSchedule.nullable().default(null),
    remindAfterDays: z.int().min(1).max(365).nullable().default(8),
  }),
  status: 201,
  reply: vault,
  audit: 'backup.vault.create',
})

export const updateVault = endpoint({
  name: 'backup-vaults.update',
  method: 'PATCH',
  path: '/backup/vault/:id',
  summary: 'Change a second copy; with another path a new one is made there',
  access: write,
  params,
  query: ofOrganization,
  body: z.object({ ...changeable, isActive: z.boolean().optional() }),
  reply: vault,
  audit: 'backup.vault.update',
})

export const deleteVault = endpoint({
  name: 'backup-vaults.delete',
  method: 'DELETE',
  path: '/backup/vault/:id',
  summary: 'Turn a second copy off; what is in it stays',
  access: write,
  params,
  query: ofOrganization,
  reply: z.object({ deleted: z.literal(true), id: z.uuid() }),
  audit: 'backup.vault.delete',
})

export const syncVault = endpoint({
  name: 'backup-vaults.sync',
  method: 'POST',
  path: '/backup/vault/:id/sync',
  summary: 'Bring a second copy up to date now, or copy one snapshot to it',
  access: userAccess('devices:execute', { mfa: 'strict' }),
  params,
  query: ofOrganization,
  body: z.object({ snapshotId: z.string().min(1).max(200).optional() }).prefault({}),
  reply: z.object({
    id: z.uuid(),
    status: z.literal('pending'),
    deviceId: z.uuid().nullable(),
    snapshotId: z.string().nullable(),
  }),
  audit: 'backup.vault.sync',
})

export const readVaultStatus = endpoint({
  name: 'backup-vaults.status',
  method: 'GET',
  path: '/backup/vault/:id/status',
  summary: 'How the last sync of a second copy ended',
  access: read,
  params,
  query: ofOrganization,
  reply: z.object(vaultStatus),
})

const vaultCopy = z.object({
  deviceId: z.uuid(),
  deviceName: z.string(),
  /** Of the first repository. */
  configId: z.uuid(),
  configName: z.string(),
  /** In which the copy lies, in the folder or storage. */
  folder: z.string(),
  snapshots: z.int(),
  /** Backups that should be in it and are not yet. */
  missing: z.int(),
  newestAt: instant.nullable(),
  lastSyncAt: instant.nullable(),
  storedBytes: z.int().nullable(),
  /** Why the last try failed. */
  error: z.string().nullable(),
  /** When a part of its data was last read back, and what was wrong with it as long as not all of it was read and is good. */
  checkedAt: instant.nullable(),
  damage: z.string().nullable(),
  /** The last repair of the backups from it, and how many pieces of them were damaged. */
  repair: z
    .object({
      status: z.enum(['pending', 'running', 'completed', 'failed']),
      at: instant,
      error: z.string().nullable(),
      damaged: z.int().nullable(),
    })
    .nullable(),
})
export type VaultCopy = z.infer<typeof vaultCopy>

export const listVaultCopies = endpoint({
  name: 'backup-vaults.copies',
  method: 'GET',
  path: '/backup/vault/:id/copies',
  summary: 'What a second copy has of each device, those with a problem first',
  access: read,
  params,
  query: ofOrganization.extend({ page: pageNumber, limit: pageLimit(50, 200) }),
  reply: paged(vaultCopy),
})

export const repairFromVault = endpoint({
  name: 'backup-vaults.repair',
  method: 'POST',
  path: '/backup/vault/:id/repair',
  summary: 'Put back damaged backups of a device on the appliance from a second copy',
  access: write,
  params,
  query: ofOrganization,
  body: z.object({ deviceId: uuid, confirm: z.literal(true) }),
  status: 202,
  reply: z.object({ id: z.uuid(), status: z.literal('pending'), deviceId: z.uuid() }),
  audit: 'backup.vault.repair',
})

const snapshotCopy = z.object({
  vaultId: z.uuid(),
  vaultName: z.string(),
  place: z.enum(vaultPlaces),
  vaultPath: z.string(),
  deviceId: z.uuid().nullable(),
  syncedAt: instant,
  /** It was compared and has the same files; otherwise it was there already, and could not be compared. */
  manifestVerified: z.boolean(),
})
export type SnapshotCopy = z.infer<typeof snapshotCopy>

export const listSnapshotCopies = endpoint({
  name: 'backup-vaults.snapshot-copies',
  method: 'GET',
  path: '/backup/snapshots/:id/copies',
  summary: 'Second copies that have a snapshot',
  access: userAccess('backup:read'),
  params,
  query: ofOrganization,
  reply: z.object({ data: z.array(snapshotCopy) }),
})
