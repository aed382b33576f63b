export { Inventory } from './inventory.ts'
export { inventoryRoutes } from './routes.ts'
