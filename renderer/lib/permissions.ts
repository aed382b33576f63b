import type { Me } from '../../shared/api/profile.ts'
import { grantAllows, type Permission } from '../../shared/permissions.ts'

export const can = (me: Pick<Me, 'permissions'>, permission: Permission): boolean =>
  me.permissions.some((grant) => grantAllows(grant, permission))
