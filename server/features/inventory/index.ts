export { Inventory } from './inventory.ts'
export { inventoryRoutes } from './routes.ts'
export { SoftwareReports } from './software.ts'
