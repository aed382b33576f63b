import { createRoute } from '@tanstack/react-router'
import { z } from 'zod'
import { protectionState } from '../../shared/api/backup-attention.ts'
import { backupJobStatus } from '../../shared/api/backup-jobs.ts'
import { lazyPage } from '../features/shell/lazy-page.tsx'
import { appRoute } from './frame.tsx'
import { id, oneOf, pageNumber, searchTerm } from './search.ts'

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
  /** The open dialog: it edits the storage of this id, or adds one. */
  validateSearch: z.object({
    edit: z
      .union([z.literal('new'), z.uuid()])
      .optional()
      .catch(undefined),
  }),
  component: lazyPage(() => import('../features/backup-storage/storage-page.tsx'), 'StoragePage'),
})

const protectionRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/backup/protection',
  /** The policy whose settings, or whose devices, are open. */
  validateSearch: z.object({ edit: id, assign: id }),
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

/** What is backed up, when and where to, and what came of it. */
export const backupRoutes = [overviewRoute, jobsRoute, jobRoute, protectionRoute, storageRoute] as const
