import { useQuery } from '@tanstack/react-query'
import { apiKeyQuery } from '../../data/api-keys.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { TextLink } from '../../ui/links.tsx'

/** Links to a key by its current name; plain `name` for users who cannot see keys. */
export function ApiKeyLink({ id, name }: { id: string; name: string }) {
  const key = useQuery({ ...apiKeyQuery(id), enabled: can(useMe(), 'organizations:read') }).data
  if (!key) return name
  return (
    <TextLink to="/settings/api-keys" search={{ search: key.keyPrefix }} inherit style={{ overflowWrap: 'anywhere' }}>
      {key.name}
    </TextLink>
  )
}
