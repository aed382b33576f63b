import * as contract from '../../../shared/api/device-groups-legacy.ts'
import type { Http } from '../../platform/http/http.ts'
import type { Searches } from '../../platform/http/searches.ts'
import type { GroupServices } from './services.ts'

const success = { success: true as const }

/** Beside `/devices/:id`, so these come before the devices' own. */
export function legacyGroupRoutes(http: Http, search: Searches, { groups, devices }: GroupServices): void {
  http.user(contract.listGroupsLegacy, ({ actor, query, reply }) =>
    search.steps(actor, reply, groups.page(actor, query)),
  )
  http.user(contract.createGroupLegacy, ({ actor, query, body }) => groups.create(actor, body, query.orgId))
  http.user(contract.updateGroupLegacy, ({ actor, params, body }) => groups.update(actor, params.id, body))
  http.user(contract.deleteGroupLegacy, ({ actor, params }) => {
    groups.remove(actor, params.id)
    return success
  })
  http.user(contract.addGroupMembersLegacy, ({ actor, params, body }) => ({
    ...success,
    added: devices.add(actor, params.id, body.deviceIds).added,
  }))
  http.user(contract.removeGroupMembersLegacy, ({ actor, params, body }) => ({
    ...success,
    removed: devices.removeAll(actor, params.id, body.deviceIds),
  }))
}
