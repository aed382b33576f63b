export { Partners } from './partners.ts'
export { partnerRoutes } from './routes.ts'
export { type AssertNobodyLockedOut, answeredSettings, assertUnlocked, storableSecurity } from './security.ts'
export { findPartnerStanding, orLookupUnavailable } from './standing.ts'
