import type { RoleRow } from '../../../shared/api/roles.ts'
import { TextLink } from '../../ui/links.tsx'

export function RoleLink({ role, isMain = false }: { role: Pick<RoleRow, 'id' | 'name'>; isMain?: boolean }) {
  return (
    <TextLink
      to="/settings/roles/$roleId"
      params={{ roleId: role.id }}
      onClick={(event) => event.stopPropagation()}
      size="sm"
      {...(isMain && { 'data-main': true, fw: 600, c: 'inherit' })}
    >
      {role.name}
    </TextLink>
  )
}
