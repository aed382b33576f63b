import { useDistinguishingSlug } from '../../../domain/organizations/use-distinguishing-slug.ts'
import { SecondaryText } from './row-list.tsx'
import type { RowVerdict } from './row-outcomes.ts'

/** Target organization of a row; the slug distinguishes those of the same name. */
export function RowOrganization({ verdict: { organizationId: id, organizationName: name } }: { verdict: RowVerdict }) {
  const slug = useDistinguishingSlug(id !== null && name !== null ? { id, name } : undefined)
  return <SecondaryText>{slug ? `${name} (${slug})` : name}</SecondaryText>
}
