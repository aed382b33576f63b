import { useParams } from '@tanstack/react-router'
import type { Role } from '../../data/roles.ts'

/** The partner in the URL of the page; undefined for the user's own. */
export const usePartnerIdOfPage = (): string | undefined => useParams({ strict: false }).partnerId

export const rolesPage = (viewedPartnerId: string | undefined) =>
  viewedPartnerId
    ? ({ to: '/companies/$partnerId/roles', params: { partnerId: viewedPartnerId } } as const)
    : ({ to: '/settings/roles' } as const)

type Named = Pick<Role, 'id' | 'viewedPartnerId'>

export const rolePage = ({ id, viewedPartnerId }: Named) =>
  viewedPartnerId
    ? ({ to: '/companies/$partnerId/roles/$roleId', params: { partnerId: viewedPartnerId, roleId: id } } as const)
    : ({ to: '/settings/roles/$roleId', params: { roleId: id } } as const)

/** The list of people with a role. */
export const holdersPage = ({ id, viewedPartnerId }: Named) =>
  viewedPartnerId
    ? ({ to: '/companies/$partnerId', params: { partnerId: viewedPartnerId }, search: { as: id } } as const)
    : ({ to: '/settings/people', search: { as: id } } as const)

/** The page of one of them. */
export const holderPage = ({ viewedPartnerId }: Named, personId: string) =>
  viewedPartnerId
    ? ({ to: '/companies/$partnerId/people/$personId', params: { partnerId: viewedPartnerId, personId } } as const)
    : ({ to: '/settings/people/$personId', params: { personId } } as const)
