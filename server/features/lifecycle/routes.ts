import * as contract from '../../../shared/api/organization-life.ts'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Http } from '../../platform/http/http.ts'
import type { Archive } from './archive.ts'
import { listErasures } from './erasure-list.ts'

interface Deps {
  db: Database
  clock: Clock
  archive: Archive
}

export function lifecycleRoutes(http: Http, { db, clock, archive }: Deps): void {
  http.user(contract.archiveOrganization, ({ actor, params, body }) => archive.archive(actor, params.id, body))
  http.user(contract.restoreOrganization, ({ actor, params }) => archive.restore(actor, params.id))
  http.user(contract.listErasures, ({ actor }) => ({ data: listErasures(db, clock, actor) }))
}
