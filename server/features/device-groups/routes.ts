import * as contract from '../../../shared/api/device-groups.ts'
import type { Http } from '../../platform/http/http.ts'
import { searches } from '../../platform/http/searches.ts'
import { legacyGroupRoutes } from './legacy-routes.ts'
import type { GroupServices } from './services.ts'

export function groupRoutes(http: Http, services: GroupServices): void {
  const { groups, devices, membershipLog } = services
  const search = searches()
  legacyGroupRoutes(http, search, services)
  http.user(contract.listDeviceGroups, ({ actor, query, reply }) =>
    search.steps(actor, reply, groups.list(actor, query)),
  )
  http.user(contract.createDeviceGroup, async ({ actor, query, body }) => ({
    data: await groups.create(actor, body, query.orgId),
  }))
  http.user(contract.readDeviceGroup, ({ actor, params }) => ({ data: groups.read(actor, params.id) }))
  http.user(contract.updateDeviceGroup, async ({ actor, params, body }) => ({
    data: await groups.update(actor, params.id, body),
  }))
  http.user(contract.deleteDeviceGroup, ({ actor, params }) => ({ data: groups.remove(actor, params.id) }))

  http.user(contract.listGroupDevices, ({ actor, params, reply }) =>
    search.steps(actor, reply, devices.list(actor, params.id)),
  )
  http.user(contract.addGroupDevices, ({ actor, params, body }) => ({
    data: devices.add(actor, params.id, body.deviceIds),
  }))
  http.user(contract.removeGroupDevice, ({ actor, params }) => ({
    data: devices.remove(actor, params.id, params.deviceId),
  }))
  http.user(contract.membershipLog, ({ actor, params, query, reply }) =>
    search.steps(actor, reply, membershipLog.list(actor, params.id, query)),
  )
  http.user(contract.previewDeviceGroup, ({ actor, params, query, reply }) =>
    search(actor, reply, async (signal) => ({ data: await devices.preview(actor, params.id, query.limit, signal) })),
  )
  http.user(contract.previewGroupRule, ({ actor, body, query, reply }) =>
    search(actor, reply, async (signal) => ({ data: await devices.previewRule(actor, body, query.limit, signal) })),
  )
  http.user(contract.pinGroupDevice, ({ actor, params }) => ({ data: devices.pin(actor, params.id, params.deviceId) }))
  http.user(contract.unpinGroupDevice, async ({ actor, params }) => ({
    data: await devices.unpin(actor, params.id, params.deviceId),
  }))
}
