import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, pathId, uuid } from '../fields.ts'
import { pageLimit, pageNumber, pagination, searchText } from '../paging.ts'

export const immutabilityEnforcement = z.enum(['application', 'provider'])

export const backupSnapshot = z.object({
  id: z.uuid(),
  deviceId: z.uuid(),
  deviceName: z.string(),
  configId: z.uuid(),
  /** The storage it is in. */
  configName: z.string(),
  jobId: z.uuid().nullable(),
  /** When it was taken. */
  createdAt: instant,
  backupType: z.enum(['file', 'system_image', 'database', 'application']),
  sizeBytes: z.int(),
  fileCount: z.int(),
  label: z.string(),
  location: z.string().nullable(),
  /** Null: it is kept until somebody removes it. */
  expiresAt: instant.nullable(),
  legalHold: z.boolean(),
  legalHoldReason: z.string().nullable(),
  legalHoldSource: z.enum(['policy', 'manual']).nullable(),
  isImmutable: z.boolean(),
  immutableUntil: instant.nullable(),
  immutabilityEnforcement: immutabilityEnforcement.nullable(),
  requestedImmutabilityEnforcement: immutabilityEnforcement.nullable(),
  immutabilityFallbackReason: z.string().nullable(),
  /** Why retention does not remove it, whatever its age. */
  retentionBlockedReason: z.enum(['legal_hold', 'immutable_until']).nullable(),
})
export type BackupSnapshot = z.infer<typeof backupSnapshot>

const read = userAccess('backup:read')

export const listBackupSnapshots = endpoint({
  name: 'backup-snapshots.list',
  method: 'GET',
  path: '/backup/snapshots',
  summary: 'Snapshots, the newest first',
  access: read,
  query: z.object({
    orgId: uuid.optional(),
    deviceId: uuid.optional(),
    configId: uuid.optional(),
    page: pageNumber,
    limit: pageLimit(1000, 1000),
  }),
  reply: z.object({ data: z.array(backupSnapshot), pagination }),
})

export const readBackupSnapshot = endpoint({
  name: 'backup-snapshots.read',
  method: 'GET',
  path: '/backup/snapshots/:id',
  summary: 'One snapshot',
  access: read,
  params: z.object({ id: pathId }),
  query: z.object({ orgId: uuid.optional() }),
  reply: backupSnapshot,
})

const params = z.object({ id: pathId })
const path = z
  .string()
  .min(1)
  .max(32_768)
  .regex(/^[^\0]*$/, 'Must not contain NUL')
const page = { after: z.string().max(5000).optional(), limit: pageLimit(200, 1000) }
const next = z.string().nullable()
const counts = z.object({ files: z.int(), folders: z.int(), bytes: z.int() })

const entryType = z.enum(['folder', 'file', 'symlink', 'other'])
/** A file or folder of a snapshot. */
export const backedUpEntry = z.object({
  name: z.string(),
  path: z.string(),
  type: entryType,
  /** Bytes; of files only. */
  size: z.int().nullable(),
  modifiedAt: z.string().nullable(),
})
export type BackedUpEntry = z.infer<typeof backedUpEntry>

/** Where something is found: `id` is null for a snapshot that is no longer listed. */
const inSnapshot = z.object({ id: z.uuid().nullable(), takenAt: instant })

export const browseBackupSnapshot = endpoint({
  name: 'backup-snapshots.browse',
  method: 'GET',
  path: '/backup/snapshots/:id/browse',
  summary: 'All files of a snapshot as one tree of at most 50,000 nodes; with `path` one folder of it',
  access: read,
  params,
  query: z.object({ orgId: uuid.optional(), path: path.optional() }),
  /** `{ snapshotId, manifestUnavailable, truncated?, data: [{ name, path, type, sizeBytes?, modifiedAt?, children? }] }` */
  reply: z.unknown(),
  content: 'application/json; charset=utf-8',
})

export const readBackupFolder = endpoint({
  name: 'backup-snapshots.folder',
  method: 'GET',
  path: '/backup/snapshots/:id/folder',
  summary: 'A folder of a snapshot page by page, folders first, then by name; with `q` those whose name contains it',
  access: read,
  params,
  query: z.object({ orgId: uuid.optional(), path: path.default('/'), q: searchText.default(''), ...page }),
  reply: z.object({
    data: z.array(backedUpEntry),
    /** Of all that match; on the first page only. */
    counts: counts.nullable(),
    next,
  }),
})

const change = z.enum(['added', 'changed', 'removed'])
const state = z.object({ size: z.int().nullable(), modifiedAt: z.string().nullable() })

export const compareBackupSnapshots = endpoint({
  name: 'backup-snapshots.compare',
  method: 'GET',
  path: '/backup/snapshots/:id/compare/:olderId',
  summary: 'What changed from one snapshot to another; both are of the same device and storage',
  access: read,
  params: params.extend({ olderId: pathId }),
  query: z.object({ orgId: uuid.optional(), only: change.optional(), ...page }),
  reply: z.object({
    data: z.array(
      z.object({
        change,
        path: z.string(),
        type: entryType,
        /** Null for what was added. */
        before: state.nullable(),
        /** Null for what was removed. */
        after: state.nullable(),
      }),
    ),
    /** On the first page only. */
    counts: z.object({ added: counts, changed: counts, removed: counts }).nullable(),
    next,
  }),
})

const deviceParams = z.object({ deviceId: pathId })
/** Of the storage named, otherwise of the one with the newest snapshot. */
const ofDevice = { orgId: uuid.optional(), configId: uuid.optional() }

export const searchBackedUpFiles = endpoint({
  name: 'backup-snapshots.search-files',
  method: 'GET',
  path: '/backup/devices/:deviceId/files',
  summary: 'Files and folders in all snapshots of a device whose name contains a text',
  access: read,
  params: deviceParams,
  query: z.object({ ...ofDevice, q: searchText.default(''), ...page }),
  reply: z.object({
    data: z.array(
      backedUpEntry.extend({
        newestSnapshot: inSnapshot,
        /** It counts anew whenever type, size or time differ. */
        versions: z.int(),
      }),
    ),
    next,
  }),
})

export const readFileVersions = endpoint({
  name: 'backup-snapshots.versions',
  method: 'GET',
  path: '/backup/devices/:deviceId/versions',
  summary: 'What a file was over time, the newest version first',
  access: read,
  params: deviceParams,
  query: z.object({ ...ofDevice, path: path.default('/') }),
  reply: z.object({
    data: z.object({
      path: z.string(),
      versions: z.array(
        state.extend({
          type: entryType,
          newestSnapshot: inSnapshot,
          oldestSnapshot: inSnapshot,
          /** How many snapshots have it just so. */
          snapshots: z.int(),
        }),
      ),
    }),
  }),
})

export const deleteDeviceBackups = endpoint({
  name: 'backup-snapshots.delete-device',
  method: 'DELETE',
  path: '/backup/devices/:deviceId',
  summary: 'Delete all backups of a decommissioned device; refused while one is on legal hold or immutable',
  access: userAccess('backup:write', { mfa: 'session' }),
  params: deviceParams,
  reply: z.object({ data: z.object({ snapshots: z.int() }) }),
  audit: 'backup.device.delete',
})
