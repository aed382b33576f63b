import { createRoute } from '@tanstack/react-router'
import { z } from 'zod'
import { auditResult } from '../../shared/api/audit-log.ts'
import { lazyPage } from '../features/shell/lazy-page.tsx'
import { appRoute } from './frame.tsx'
import { id, oneOf, pageNumber, searchTerm, text } from './search.ts'

const moment = z.iso.datetime({ offset: true }).optional().catch(undefined)

export const auditRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/audit',
  validateSearch: z.object({
    tab: oneOf(['chains']),
    q: searchTerm,
    user: text,
    action: text,
    resource: text,
    /** The name of that target, where `resource` is its id. */
    target: text,
    result: oneOf(auditResult.options),
    from: moment,
    to: moment,
    page: pageNumber,
    /** The time at which paging began. */
    until: moment,
    /** The open event. */
    event: id,
  }),
  component: lazyPage(() => import('../features/audit-log/audit-log-page.tsx'), 'AuditLogPage'),
})
