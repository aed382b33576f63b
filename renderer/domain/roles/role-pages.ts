import { useParams } from '@tanstack/react-router'
import type { Role } from '../../data/roles.ts'

/** Whose roles the page is about: those of the company in its address, or of one's own. */
export const useCompanyId = (): string | undefined => useParams({ strict: false }).companyId

export const rolesPage = (companyId: string | undefined) =>
  companyId
    ? ({ to: '/companies/$companyId/roles', params: { companyId } } as const)
    : ({ to: '/settings/roles' } as const)

type Named = Pick<Role, 'id' | 'companyId'>

export const rolePage = ({ id, companyId }: Named) =>
  companyId
    ? ({ to: '/companies/$companyId/roles/$roleId', params: { companyId, roleId: id } } as const)
    : ({ to: '/settings/roles/$roleId', params: { roleId: id } } as const)

/** The list of those who have a role. */
export const holdersPage = ({ id, companyId }: Named) =>
  companyId
    ? ({ to: '/companies/$companyId', params: { companyId }, search: { as: id } } as const)
    : ({ to: '/settings/people', search: { as: id } } as const)

/** The page of one of them. */
export const holderPage = ({ companyId }: Named, personId: string) =>
  companyId
    ? ({ to: '/companies/$companyId/people/$personId', params: { companyId, personId } } as const)
    : ({ to: '/settings/people/$personId', params: { personId } } as const)
