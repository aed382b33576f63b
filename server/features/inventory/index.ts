export { createInventory } from './create-inventory.ts'
export type { Inventory } from './inventory.ts'
export type { SoftwareReports } from './software.ts'
