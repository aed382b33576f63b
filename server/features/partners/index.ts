export type { PartnerLife } from './all-partners.ts'
export { createPartners } from './create-partners.ts'
export { NewPartners, type PartnerView } from './new-partners.ts'
export { organizationOrders, placeOrganizations, saveOrganizationOrder } from './organization-order.ts'
export { findPartnerStatus, orLookupUnavailable } from './partner-status.ts'
export {
  type AssertNobodyLockedOut,
  answeredSettings,
  assertUnlocked,
  type PreviewSecurityChange,
  storableSecurity,
} from './security.ts'
export { findPartner, type PartnerRow } from './store.ts'
