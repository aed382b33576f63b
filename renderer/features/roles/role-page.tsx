import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type Role, roleQuery, rolesQuery } from '../../data/roles.ts'
import { NotFound } from '../../domain/navigation/not-found.tsx'
import { usePartnerIdOfPage } from '../../domain/roles/role-pages.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { RoleEditor } from './role-editor.tsx'
import { useLiveRoles } from './use-live-roles.ts'

export function RolePage() {
  const { roleId } = useParams({ strict: false })
  const roles = useQuery(rolesQuery(usePartnerIdOfPage()))
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

function One({ row, roles }: { row: Role; roles: readonly Role[] }) {
  const role = useQuery(roleQuery(row))
  return <Loaded of={role}>{(loaded) => <RoleEditor role={loaded} roles={roles} />}</Loaded>
}
