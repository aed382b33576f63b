import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, uuid } from '../fields.ts'
import { pageLimit, pageNumber, pagination } from '../paging.ts'

/** What a device has in one storage. */
const maintainedRepository = z.object({
  id: z.uuid(),
  deviceId: z.uuid(),
  deviceName: z.string(),
  configId: z.uuid(),
  configName: z.string(),
  storedBytes: z.number(),
  /** Expired ones whose data is still stored. */
  expiredSnapshots: z.int(),
  isRunning: z.boolean(),
  /** When it last did all it should. */
  maintainedAt: instant.nullable(),
  /** When it was last tried, and why it failed if it did. */
  triedAt: instant.nullable(),
  error: z.string().nullable(),
})
export type MaintainedRepository = z.infer<typeof maintainedRepository>

export const readBackupMaintenance = endpoint({
  name: 'backup-maintenance.read',
  method: 'GET',
  path: '/backup/maintenance',
  summary: 'How the data of expired snapshots is removed; repositories with a problem first',
  access: userAccess('backup:read'),
  query: z.object({ orgId: uuid.optional(), page: pageNumber, limit: pageLimit(50, 200) }),
  reply: z.object({
    data: z.object({
      /** Whether the appliance has what it takes: its own restic. */
      engineAvailable: z.boolean(),
      isRunning: z.boolean(),
      lastRunAt: instant.nullable(),
      nextRunAt: instant.nullable(),
      storedBytes: z.number(),
      expiredSnapshots: z.int(),
      /** Repositories whose last maintenance failed. */
      failing: z.int(),
      repositories: z.array(maintainedRepository),
    }),
    pagination,
  }),
})

const finding = z.object({
  /** `missing`: listed here and not in the storage. `unknown`: in the storage and not listed here. */
  kind: z.enum(['missing', 'unknown']),
  /** Of the snapshot: ours when it is missing, restic’s when it is unknown. */
  id: z.string(),
  deviceId: z.uuid(),
  deviceName: z.string(),
  configId: z.uuid(),
  takenAt: instant,
  /** Legal hold, immutability or a second copy keep it listed, whatever the storage has. */
  isProtected: z.boolean(),
})
export type ReconcileFinding = z.infer<typeof finding>

const reconcileResult = z.object({
  /** Repositories that were looked at. */
  repositories: z.int(),
  /** Those that were not, and why. */
  unreachable: z.array(z.object({ deviceId: z.uuid(), deviceName: z.string(), reason: z.string() })),
  /** At most a thousand. What was done about them no longer stands here. */
  findings: z.array(finding),
  adopted: z.int(),
  removed: z.int(),
})
export type ReconcileResult = z.infer<typeof reconcileResult>

export const reconcileState = z.object({
  taskId: z.string(),
  state: z.enum(['running', 'completed', 'failed']),
  /** Whether it was to change anything. */
  isConfirmed: z.boolean(),
  progress: z.object({ done: z.int(), total: z.int() }).nullable(),
  result: reconcileResult.nullable(),
  error: z.string().nullable(),
  startedAt: instant,
  finishedAt: instant.nullable(),
})
export type ReconcileState = z.infer<typeof reconcileState>

const ofOrganization = z.object({ orgId: uuid.optional() })

export const startReconcile = endpoint({
  name: 'backup-maintenance.reconcile',
  method: 'POST',
  path: '/backup/reconcile',
  summary: 'Compare the snapshots that are listed with those in storage; changes something only if confirmed',
  access: userAccess('backup:write', { mfa: 'session' }),
  query: ofOrganization,
  body: z
    .object({
      confirm: z.boolean().optional(),
      /** Those to handle, by the ids of findings; all if left out. */
      ids: z.array(z.string().max(100)).max(1000).optional(),
      /** What becomes of snapshots that are not listed: they are listed again, or removed from the storage. */
      unknown: z.enum(['adopt', 'delete']).optional(),
    })
    .prefault({}),
  status: 202,
  reply: z.object({ data: reconcileState }),
  audit: 'backup.reconcile',
})

export const readReconcile = endpoint({
  name: 'backup-maintenance.read-reconcile',
  method: 'GET',
  path: '/backup/reconcile',
  summary:
    'The last comparison of the snapshots that are listed with those in storage; null when there was none lately',
  access: userAccess('backup:read'),
  query: ofOrganization,
  reply: z.object({ data: reconcileState.nullable() }),
})
