import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { RoleRow } from '../../../shared/api/roles.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { NotFound } from '../shell/fallbacks.tsx'
import { roleQuery, rolesQuery } from './data.ts'
import { RoleEditor } from './role-editor.tsx'
import { useLiveRoles } from './use-live-roles.ts'

export function RolePage() {
  const { roleId } = useParams({ from: '/app/settings/roles/$roleId' })
  const roles = useQuery(rolesQuery)
  useLiveRoles()
  return (
    <Loaded of={roles}>
      {(all) => {
        const row = all.find(({ id }) => id === roleId)
        return row ? <One key={roleId} row={row} roles={all} /> : <NotFound />
      }}
    </Loaded>
  )
}

function One({ row, roles }: { row: RoleRow; roles: readonly RoleRow[] }) {
  const role = useQuery(roleQuery(row))
  return <Loaded of={role}>{(loaded) => <RoleEditor role={loaded} roles={roles} />}</Loaded>
}
