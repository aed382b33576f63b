import * as contract from '../../../shared/api/organization-merge.ts'
import type { Http } from '../../platform/http/http.ts'
import type { Merges } from './merges.ts'

export function mergeRoutes(http: Http, merges: Merges): void {
  http.user(contract.previewMerge, ({ actor, params, body }) => merges.preview(actor, params.id, body))
  http.user(contract.mergeOrganization, ({ actor, params, body }) => merges.start(actor, params.id, body))
  http.user(contract.listMergeRuns, ({ actor }) => ({ data: merges.list(actor) }))
  http.user(contract.readMergeRun, ({ actor, params }) => merges.read(actor, params.jobId))
}
