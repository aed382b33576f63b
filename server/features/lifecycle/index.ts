export { OrganizationLife } from './organization-life.ts'
export { PartnerLife } from './partner-life.ts'
export { Settling } from './settling.ts'
export type { WritableStatus } from './transitions.ts'
