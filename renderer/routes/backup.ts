import { createRoute, redirect } from '@tanstack/react-router'
import { z } from 'zod'
import { protectionState } from '../../shared/api/backup-attention.ts'
import { backupJobStatus } from '../../shared/api/backup-jobs.ts'
import { riskCode } from '../../shared/api/backup-readiness.ts'
import { restoreStatus } from '../../shared/api/backup-restores.ts'
import { slaEventType } from '../../shared/api/backup-sla.ts'
import { usageOrder } from '../../shared/api/backup-usage.ts'
import { lazyPage } from '../features/shell/lazy-page.tsx'
import { appRoute } from './frame.tsx'
import { filePath, id, oneOf, pageNumber, searchTerm } from './search.ts'

const idOrNew = z
  .union([z.literal('new'), z.uuid()])
  .optional()
  .catch(undefined)

const overviewRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/backup/overview',
  /** Filters of its list of devices; `days` of the chart. */
  validateSearch: z.object({
    state: oneOf(protectionState.options),
    search: searchTerm,
    page: pageNumber,
    days: oneOf(['30', '90']),
  }),
  component: lazyPage(() => import('../features/backup-reports/overview-page.tsx'), 'OverviewPage'),
})

const storageRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/backup/storage',
  /** The open dialog: it edits the storage of this id, adds one, or asks for the quota. */
  validateSearch: z.object({ edit: z.literal('quota').optional().or(idOrNew) }),
  component: lazyPage(() => import('../features/backup-storage/storage-page.tsx'), 'StoragePage'),
})

const secondCopiesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/backup/second-copies',
  /** The open dialog: it changes the second copy of this id, or adds one. */
  validateSearch: z.object({ edit: idOrNew }),
  component: lazyPage(() => import('../features/backup-vaults/second-copies-page.tsx'), 'SecondCopiesPage'),
})

const usageRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/backup/usage',
  /** `growth`: over so many days. */
  validateSearch: z.object({
    growth: oneOf(['7', '90']),
    sort: oneOf(usageOrder.options),
    sortDir: oneOf(['asc', 'desc']),
    search: searchTerm,
    page: pageNumber,
  }),
  component: lazyPage(() => import('../features/backup-usage/usage-page.tsx'), 'UsagePage'),
})

const keysRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/backup/keys',
  /** The open dialog: it makes a key, or shows the recovery sheet. */
  validateSearch: z.object({ open: oneOf(['new', 'sheet']) }),
  component: lazyPage(() => import('../features/backup-keys/keys-page.tsx'), 'KeysPage'),
})

const slaRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/backup/sla',
  /** The open dialog: it edits the SLA of this id, or adds one; filters of the list of events; days `shown` in the chart. */
  validateSearch: z.object({
    edit: idOrNew,
    state: oneOf(['open', 'resolved']),
    type: oneOf(slaEventType.options),
    sla: id,
    device: id,
    page: pageNumber,
    shown: oneOf(['7', '90']),
  }),
  component: lazyPage(() => import('../features/backup-sla/sla-page.tsx'), 'SlaPage'),
})

const readinessRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/backup/readiness',
  /** Filters of the list of devices. */
  validateSearch: z.object({
    band: oneOf(['low', 'medium', 'high']),
    risk: oneOf(riskCode.options),
    search: searchTerm,
    page: pageNumber,
  }),
  component: lazyPage(() => import('../features/backup-readiness/readiness-page.tsx'), 'ReadinessPage'),
})

const protectionRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/backup/protection',
  /** The policy whose settings, or whose devices, are open; or the profile. */
  validateSearch: z.object({ tab: oneOf(['policies', 'profiles']), edit: id, assign: id, profile: idOrNew }),
  component: lazyPage(() => import('../features/backup-protection/protection-page.tsx'), 'ProtectionPage'),
})

const jobsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/backup/jobs',
  validateSearch: z.object({
    status: oneOf(backupJobStatus.options),
    device: id,
    day: z.iso.date().optional().catch(undefined),
    page: pageNumber,
  }),
  component: lazyPage(() => import('../features/backup-jobs/job-list-page.tsx'), 'JobListPage'),
})

const jobRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/backup/jobs/$jobId',
  component: lazyPage(() => import('../features/backup-jobs/job-page.tsx'), 'JobPage'),
})

const restoresRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/backup/restores',
  validateSearch: z.object({
    status: oneOf(restoreStatus.options),
    device: id,
    day: z.iso.date().optional().catch(undefined),
    page: pageNumber,
  }),
  component: lazyPage(() => import('../features/backup-restores/restore-list-page.tsx'), 'RestoreListPage'),
})

const restoreRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/backup/restores/$restoreId',
  /** Whether the dialog that restores again is open. */
  validateSearch: z.object({ again: oneOf(['open']) }),
  component: lazyPage(() => import('../features/backup-restores/restore-page.tsx'), 'RestorePage'),
})

const filesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/backup/files',
  /** `q` is what is looked for; `versions` the path whose versions are open. */
  validateSearch: z.object({ device: id, storage: id, q: searchTerm, versions: filePath, page: pageNumber }),
  component: lazyPage(() => import('../features/backup-snapshots/restore-files-page.tsx'), 'RestoreFilesPage'),
})

const snapshotRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/backup/snapshots/$snapshotId',
  /** The open folder, its filter, the entry in it that is marked, and the dialog that is open. */
  validateSearch: z.object({
    path: filePath,
    q: searchTerm,
    at: filePath,
    versions: filePath,
    ask: oneOf(['restore', 'compare', 'hold', 'release-hold', 'lock']),
  }),
  component: lazyPage(() => import('../features/backup-snapshots/snapshot-page.tsx'), 'SnapshotPage'),
})

const comparisonRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/backup/snapshots/$snapshotId/compare/$olderId',
  validateSearch: z.object({ only: oneOf(['added', 'changed', 'removed']) }),
  component: lazyPage(() => import('../features/backup-snapshots/comparison-page.tsx'), 'ComparisonPage'),
})

/** For people who shorten an address. */
const backupRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/backup',
  beforeLoad: () => {
    throw redirect({ to: '/backup/overview' })
  },
})

/** What is backed up, when and where to, and what came of it. */
export const backupRoutes = [
  backupRoute,
  overviewRoute,
  jobsRoute,
  jobRoute,
  filesRoute,
  snapshotRoute,
  comparisonRoute,
  restoresRoute,
  restoreRoute,
  protectionRoute,
  storageRoute,
  secondCopiesRoute,
  usageRoute,
  keysRoute,
  slaRoute,
  readinessRoute,
] as const
