import { useQuery } from '@tanstack/react-query'
import { organizationQuery } from '../../data/organizations.ts'
import type { SsoOwner } from '../../data/sso-providers.ts'
import { useMe } from '../../lib/session.ts'
import { TextLink } from '../../ui/links.tsx'
import { providersPage } from './sso-owner.ts'

/** Links to the list of providers. */
export function ProvidersLink({ owner }: { owner: SsoOwner }) {
  const { scope } = useMe()
  const { orgId } = owner
  const hasName = orgId !== undefined && scope !== 'organization'
  const organization = useQuery({ ...organizationQuery(orgId ?? ''), enabled: hasName }).data
  return (
    <TextLink {...providersPage(owner, scope)} size="sm">
      {hasName ? (organization?.name ?? 'Organization') : owner.partnerId ? 'The company' : 'Single sign-on'}
    </TextLink>
  )
}
