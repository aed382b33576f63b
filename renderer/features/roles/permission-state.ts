import { type Grant, grantAllows, type Permission } from '../../../shared/permissions.ts'
import {
  inheritanceText,
  type PermissionSource,
  permissionSource,
  type RolePermissions,
} from '../../domain/roles/effective-permissions.ts'

/** State of one permission on the page of a role. */
export interface PermissionState {
  isGiven: boolean
  source: PermissionSource | null
  isLocked: boolean
  /** Why it cannot be changed, unless the page says so for all. */
  why?: string
}

interface PermissionContext {
  powers: RolePermissions
  /** The user's own permissions, which they may grant. */
  held: readonly Grant[]
  /** The role cannot be changed now. */
  isClosed: boolean
}

export const permissionState = (
  { powers, held, isClosed }: PermissionContext,
  permission: Permission,
): PermissionState => {
  const source = permissionSource(powers, permission)
  const isHeld = held.some((grant) => grantAllows(grant, permission))
  const base = { source, isGiven: source !== null }
  if (source?.kind === 'inherited') return { ...base, isLocked: true, why: `Inherited ${inheritanceText(source)}.` }
  if (isClosed) return { ...base, isLocked: true }
  if (isHeld) return { ...base, isLocked: false }
  return { ...base, isLocked: true, why: 'Your role doesn’t have this permission, so you can’t grant it.' }
}
