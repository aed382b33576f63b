import * as contract from '../../../shared/device/uploads.ts'
import type { Http } from '../../platform/http/http.ts'
import type { Inventory } from './inventory.ts'
import type { SoftwareReports } from './software.ts'

export function inventoryRoutes(http: Http, inventory: Inventory, software: SoftwareReports): void {
  http.agent(contract.uploadHardware, ({ actor, body }) => {
    inventory.reportHardware(actor, body)
    return { success: true as const }
  })
  http.agent(contract.uploadSoftware, async ({ actor, body }) => {
    await software.report(actor, body.software)
    return { success: true as const, count: body.software.length }
  })
  http.agent(contract.uploadDisks, ({ actor, body }) => ({
    success: true as const,
    count: inventory.reportDisks(actor, body.disks),
  }))
  http.agent(contract.uploadNetwork, ({ actor, body }) => {
    inventory.reportNetwork(actor, body.adapters, body.vpns)
    return {
      success: true as const,
      count: body.adapters.length,
      vpnCount: body.vpns?.length ?? 0,
      droppedVpnCount: 0,
    }
  })
  http.agent(contract.uploadConnections, ({ actor, body }) => ({
    success: true as const,
    count: inventory.reportConnections(actor, body.connections),
  }))
}
