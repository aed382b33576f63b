export { assertAuthorizationEndpoint, type Discovered, type DiscoveryMetadata } from './discovery.ts'
export { Outbound } from './outbound.ts'
export { type OutboundCode, OutboundError } from './outbound-error.ts'
export { loadTrust, type Trust } from './trust.ts'
