import { Badge } from '@mantine/core'
import type { RoleRow } from '../../../shared/api/roles.ts'

export function RoleBadges({ role: { isSystem, forceMfa } }: { role: RoleRow }) {
  return (
    <>
      {isSystem && (
        <Badge variant="light" size="sm">
          Built in
        </Badge>
      )}
      {forceMfa && (
        <Badge variant="default" size="sm">
          Second factor
        </Badge>
      )}
    </>
  )
}
