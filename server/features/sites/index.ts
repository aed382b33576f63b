export { createSites } from './create-sites.ts'
export type { Sites } from './sites.ts'
