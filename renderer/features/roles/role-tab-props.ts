import type { Role, RoleDetails } from '../../data/roles.ts'
import type { RoleDraft } from './role-draft.ts'

/** Props of the tabs of a role. */
export interface RoleTabProps {
  role: RoleDetails
  roles: readonly Role[]
  draft: RoleDraft
  /** The user cannot change the role. */
  isClosed: boolean
  onChange: (draft: RoleDraft) => void
}
