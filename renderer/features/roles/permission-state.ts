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

interface Judge {
  powers: RolePermissions
  /** The user's own permissions, which they may grant. */
  held: readonly Grant[]
  /** The role cannot be changed now. */
  isClosed: boolean
}

export const permissionState = ({ powers, held, isClosed }: Judge, permission: Permission): PermissionState => {
  const source = permissionSource(powers, permission)
  const isHeld = held.some((grant) => grantAllows(grant, permission))
  const standing = { source, isGiven: source !== null }
  if (source?.kind === 'inherited') return { ...standing, isLocked: true, why: `Inherited ${inheritanceText(source)}.` }
  if (isClosed) return { ...standing, isLocked: true }
  if (isHeld) return { ...standing, isLocked: false }
  return { ...standing, isLocked: true, why: 'Your own role does not allow this, so you can not give it.' }
}
