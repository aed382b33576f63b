import type { Permission } from '../permissions.ts'
import { allEndpoints } from './index.ts'

const asked: ReadonlySet<Permission> = new Set(
  allEndpoints.flatMap(({ access }) => {
    if (access.who !== 'user') return []
    return [access.permission, access.or].filter((one) => one !== undefined)
  }),
)

/** Whether some endpoint asks for the permission. The others belong to features that Homeport does not have. */
export const isInUse = (permission: Permission): boolean => asked.has(permission)
