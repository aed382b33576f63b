import * as contract from '../../../shared/api/psa.ts'
import { AppError } from '../../platform/errors.ts'
import type { Http } from '../../platform/http/http.ts'
import { searches } from '../../platform/http/searches.ts'
import type { PsaConnections } from './psa-connections.ts'

export function psaRoutes(http: Http, connections: PsaConnections): void {
  const search = searches()
  http.user(contract.listPsaConnections, ({ actor, query, reply }) =>
    search.steps(actor, reply, connections.list(actor, query)),
  )
  http.user(contract.createPsaConnection, ({ actor, body }) => connections.create(actor, body))
  http.user(contract.readPsaConnection, ({ actor, params }) => ({ data: connections.read(actor, params.id) }))
  http.user(contract.updatePsaConnection, ({ actor, params, body }) => connections.update(actor, params.id, body))
  http.user(contract.setPsaStatus, ({ actor, params, body }) => connections.setStatus(actor, params.id, body.status))
  http.user(contract.testPsaConnection, ({ actor, params }) => connections.test(actor, params.id))
  http.user(contract.syncPsaConnection, ({ actor, params }) => {
    connections.assertWritable(actor, params.id)
    throw new AppError('psa_sync_unavailable')
  })
  http.user(contract.deletePsaConnection, ({ actor, params }) => {
    connections.remove(actor, params.id)
    return { success: true as const }
  })
}
