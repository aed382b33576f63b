import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import { Inventory } from './inventory.ts'
import { inventoryRoutes } from './routes.ts'
import { SoftwareReports } from './software.ts'

/** What agents report of their devices. */
export function createInventory({
  db,
  clock,
  live,
  secrets,
}: Services): Module<{ inventory: Inventory; software: SoftwareReports }> {
  const inventory = new Inventory(db, clock, live, secrets)
  const software = new SoftwareReports(db, clock, live)
  return { api: { inventory, software }, routes: (http) => inventoryRoutes(http, inventory, software) }
}
