import { useQuery } from '@tanstack/react-query'
import { apiKeyQuery } from '../../data/api-keys.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { TextLink } from '../../ui/links.tsx'

/** A key by the name it has now, leading to it; by `name` for who does not see keys. */
export function ApiKeyLink({ id, name }: { id: string; name: string }) {
  const key = useQuery({ ...apiKeyQuery(id), enabled: can(useMe(), 'organizations:read') }).data
  if (!key) return name
  return (
    <TextLink to="/settings/api-keys" search={{ search: key.keyPrefix }} inherit style={{ overflowWrap: 'anywhere' }}>
      {key.name}
    </TextLink>
  )
}
