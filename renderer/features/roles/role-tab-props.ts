import type { FullRole, Role } from '../../data/roles.ts'
import type { Draft } from './role-draft.ts'

/** What every tab of a role's page is given. */
export interface PartProps {
  role: FullRole
  roles: readonly Role[]
  draft: Draft
  /** Nothing can be changed by who reads this. */
  isClosed: boolean
  onChange: (draft: Draft) => void
}
