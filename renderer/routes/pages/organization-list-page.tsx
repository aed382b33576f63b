import { BeingDeleted } from '../../features/lifecycle/being-deleted.tsx'
import { OrganizationListPage as OrganizationList } from '../../features/organizations/organization-list-page.tsx'

export function OrganizationListPage() {
  return <OrganizationList deletedOrganizations={<BeingDeleted />} />
}
