import { createRoute } from '@tanstack/react-router'
import { z } from 'zod'
import { lazyPage } from '../features/shell/lazy-page.tsx'
import { appRoute } from './frame.tsx'

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

/** What is backed up, when and where to, and what came of it. */
export const backupRoutes = [storageRoute] as const
