import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { Connections } from '../device-connections/index.ts'
import type { LifecycleServices } from '../lifecycle/index.ts'
import { MergeEnd } from './merge-end.ts'
import { interrupted, MergeJob } from './merge-job.ts'
import { Merges } from './merges.ts'
import { mergeRecovery } from './recovery.ts'
import { mergeRoutes } from './routes.ts'
import { assertPoliciesFit } from './self-check.ts'

interface Needs extends Pick<LifecycleServices, 'tenantJobs' | 'erasure' | 'addSweepStep'> {
  connections: Connections
}

/** @throws Error when the rule of a table does not fit it */
export function createOrganizationMerge(services: Services, needs: Needs): Module<null> {
  const { db, config } = services
  const { tenantJobs: jobs, erasure, connections, addSweepStep } = needs
  assertPoliciesFit(db)
  const parts = { ...services, jobs, erasure, connections }
  const end = new MergeEnd(parts)
  const work = new MergeJob({ ...parts, end, fenceDrainMs: config.merge.fenceDrainMs })
  jobs.handle('merge', {
    run: (job, report, signal) => work.run(job, report, signal),
    onFailure: (job, reason) => {
      const action = reason === interrupted ? 'org.merge.unfenced_by_sweeper' : 'org.merge.failed'
      end.unfence(job.org_id, action, reason)
    },
  })
  addSweepStep(mergeRecovery({ ...parts, work, end }))
  const merges = new Merges({ ...parts, maxRows: config.merge.maxRows })
  return { api: null, routes: (http) => mergeRoutes(http, merges) }
}
