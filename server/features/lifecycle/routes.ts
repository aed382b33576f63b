import * as contract from '../../../shared/api/lifecycle.ts'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { Http } from '../../platform/http/http.ts'
import { grantedOrganization } from '../organization-access/index.ts'
import type { Archive } from './archive.ts'
import type { Drains } from './drains.ts'
import { listErasures } from './erasure-list.ts'

interface LifecycleRouteServices {
  db: Database
  clock: Clock
  archive: Archive
  drains: Drains
}

export function lifecycleRoutes(http: Http, { db, clock, archive, drains }: LifecycleRouteServices): void {
  http.user(contract.archiveOrganization, ({ actor, params, body }) => archive.archive(actor, params.id, body))
  http.user(contract.restoreOrganization, ({ actor, params }) => archive.restore(actor, params.id))
  http.user(contract.listErasures, ({ actor }) => ({ data: listErasures(db, clock, actor) }))
  http.user(contract.readOffboarding, ({ actor, params }) => {
    const org = grantedOrganization(db, actor, params.id)
    if (!org || org.status === 'purging') throw new AppError('organization_not_found')
    return { data: drains.progressOf(org) }
  })
}
