import { useDistinguishingSlug } from '../../../domain/organizations/use-distinguishing-slug.ts'
import { SecondaryText } from './row-list.tsx'
import type { RowVerdict } from './row-outcomes.ts'

/** Where a row goes; the short name tells which one of several of that name. */
export function RowOrganization({ verdict: { organizationId: id, organizationName: name } }: { verdict: RowVerdict }) {
  const slug = useDistinguishingSlug(id !== null && name !== null ? { id, name } : undefined)
  return <SecondaryText>{slug ? `${name} (${slug})` : name}</SecondaryText>
}
