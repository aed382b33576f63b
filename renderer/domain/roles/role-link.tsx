import type { Role } from '../../data/roles.ts'
import { TextLink } from '../../ui/links.tsx'
import { rolePage } from './role-pages.ts'

export function RoleLink({
  role,
  isMain = false,
}: {
  role: Pick<Role, 'id' | 'name' | 'viewedPartnerId'>
  isMain?: boolean
}) {
  return (
    <TextLink {...rolePage(role)} size="sm" {...(isMain && { 'data-main': true, fw: 600, c: 'inherit' })}>
      {role.name}
    </TextLink>
  )
}
