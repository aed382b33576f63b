import type { Permission } from '../permissions.ts'
import { allEndpoints } from './index.ts'

const accesses = allEndpoints.flatMap(({ access }) => (access.who === 'user' ? [access] : []))
const permissionsOf = (some: typeof accesses): readonly Permission[] => [
  ...new Set(
    some
      .flatMap(({ permission, or, and, sometimes }) => [permission, or, and, sometimes])
      .filter((one) => one !== undefined),
  ),
]

/** Those that some endpoint asks for. */
export const askedPermissions = permissionsOf(accesses)
/** Those that an endpoint for API keys asks for. */
export const askedOfApiKeys = permissionsOf(accesses.filter(({ byKey }) => byKey))
