import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { erasuresQuery } from '../../data/lifecycle.ts'
import { organizationQuery, organizationsQuery } from '../../data/organizations.ts'
import { ApiError } from '../../lib/api-error.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { seesOrganizations } from './organization-permissions.ts'
import { useDistinguishingSlug } from './use-distinguishing-slug.ts'

/** The first page of the list of organizations. */
export const firstOrganizationsQuery = organizationsQuery({ page: 1, limit: 50 })

/** How many organizations the user can choose from; undefined while loading, and for users without a choice. */
export function useOrganizationCount(): number | undefined {
  const me = useMe()
  const enabled = me.scope !== 'organization' && seesOrganizations(me) && can(me, 'organizations:read')
  return useQuery({ ...firstOrganizationsQuery, enabled }).data?.pagination.total
}

/** The organization, if there is only one. */
export function useOnlyOrganizationId(): string | undefined {
  const me = useMe()
  const isOne = useOrganizationCount() === 1
  const only = useQuery({ ...firstOrganizationsQuery, enabled: isOne }).data?.data[0]
  return me.scope === 'organization' ? (me.orgId ?? undefined) : isOne ? only?.id : undefined
}

/** With a single organization, nothing offers a choice. */
export const useHasOrganizationChoice = (): boolean => (useOrganizationCount() ?? 0) > 1

/** The organization that lists are limited to, from the URL; undefined stands for all. Only the user changes it. */
export function useSelectedOrganizationId(): string | undefined {
  return useSearch({ from: '/app' }).org
}

/** The organization that a page about one of them shows: the selected one, or the only one. Undefined until the user chooses. */
export function useShownOrganizationId(): string | undefined {
  const selected = useSelectedOrganizationId()
  const only = useOnlyOrganizationId()
  return useMe().scope === 'organization' ? only : (selected ?? only)
}

/** The organization whose page is open, otherwise the selected one. */
export function useOpenOrganizationId(): string | undefined {
  const { orgId } = useParams({ strict: false })
  const selected = useSelectedOrganizationId()
  return orgId ?? selected
}

/** Its name, and its slug if other organizations have the same name. */
export function useSelectedOrganizationName(): { name: string | undefined; slug?: string | undefined } {
  const id = useSelectedOrganizationId()
  const { data, error } = useQuery({ ...organizationQuery(id ?? ''), enabled: id !== undefined })
  const isGone = error instanceof ApiError && (error.status === 403 || error.status === 404)
  const removed = useQuery({ ...erasuresQuery, enabled: isGone }).data?.find(({ orgId }) => orgId === id)
  const slug = useDistinguishingSlug(isGone || id === undefined ? undefined : data)
  if (id === undefined) return { name: 'All organizations' }
  if (removed) return { name: `${removed.orgName} (${removed.mergedInto ? 'merged' : 'deleted'})` }
  return isGone ? { name: 'No longer available' } : { name: data?.name, slug }
}

/** Pages that show only the selected organization. */
const narrowedPages = [
  '/',
  '/devices',
  '/backup/files',
  '/backup/jobs',
  '/backup/keys',
  '/backup/overview',
  '/backup/protection',
  '/backup/readiness',
  '/backup/restores',
  '/backup/second-copies',
  '/backup/sla',
  '/backup/storage',
  '/backup/usage',
  '/enrollment-keys',
  '/settings/api-keys',
  '/audit',
]

/** Selects an organization, or all, for the open page; where that makes no difference, its devices are listed. */
export function useSelectOrganization() {
  const navigate = useNavigate()
  const path = useLocation({ select: ({ pathname }) => pathname })
  return (org: string | undefined) => {
    const dialog = undefined
    if (!narrowedPages.includes(path)) return navigate({ to: '/devices', search: { org } })
    return navigate({
      to: '.',
      search: (old) => ({
        ...old,
        dialog,
        org,
        site: undefined,
        group: undefined,
        device: undefined,
        storage: undefined,
        sla: undefined,
        page: undefined,
      }),
    })
  }
}
