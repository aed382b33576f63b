import type { Role, RoleDetails } from '../../data/roles.ts'
import type { RoleDraft } from './role-draft.ts'

/** What every tab of a role's page is given. */
export interface RoleTabProps {
  role: RoleDetails
  roles: readonly Role[]
  draft: RoleDraft
  /** Nothing can be changed by who reads this. */
  isClosed: boolean
  onChange: (draft: RoleDraft) => void
}
