import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { Connections } from '../device-connections/index.ts'
import { type LifecycleServices, oneOfPartner, tenantOf } from '../lifecycle/index.ts'
import { MergeEnd } from './merge-end.ts'
import { interrupted, MergeJob, type MergeQueue } from './merge-job.ts'
import { Merges } from './merges.ts'
import { mergeRecovery } from './recovery.ts'
import { mergeRoutes } from './routes.ts'

interface OrganizationMergeDependencies extends Pick<LifecycleServices, 'erasure' | 'addSweepStep'> {
  connections: Connections
}

export function createOrganizationMerge(services: Services, dependencies: OrganizationMergeDependencies): Module<null> {
  const { config, tasks } = services
  const { erasure, connections, addSweepStep } = dependencies
  const parts = { ...services, erasure, connections }
  const end = new MergeEnd(parts)
  const work = new MergeJob({ ...parts, end, fenceDrainMs: config.merge.fenceDrainMs })
  const queue: MergeQueue = tasks.register({
    name: 'organization.merge',
    description: 'Merges an organization into another one',
    concurrency: 2,
    keyOf: oneOfPartner,
    attempts: 1,
    keepMs: Number.POSITIVE_INFINITY,
    amountOf: ({ movedRows, totalRows }) => ({ done: movedRows, total: totalRows }),
    run: (task, context) => work.run(task, context),
    onFailed: (task, reason) => {
      const action = reason === interrupted ? 'org.merge.unfenced_by_sweeper' : 'org.merge.failed'
      end.unfence(tenantOf(task).orgId, action, reason)
    },
  })
  addSweepStep(mergeRecovery({ ...parts, queue, work, end }))
  const merges = new Merges({ ...parts, queue, maxRows: config.merge.maxRows })
  return { api: null, routes: (http) => mergeRoutes(http, merges) }
}
