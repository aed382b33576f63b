export { type ConfigurationPolicies, createConfigurationPolicies } from './create-configuration-policies.ts'
export type { CheckedLink, LinkKind, PolicyLinks, WantedLink } from './links.ts'
export {
  activePolicies,
  type DeviceFacts,
  type DevicePolicies,
  policiesInOrganization,
  policiesOfDevice,
} from './matching.ts'
export { applies, type Candidate, type Judged, type Link } from './resolution.ts'
