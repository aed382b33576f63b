import { DeletedOrganizations } from '../../features/lifecycle/deleted-organizations.tsx'
import { OrganizationListPage as OrganizationList } from '../../features/organizations/organization-list-page.tsx'

export function OrganizationListPage() {
  return <OrganizationList deletedOrganizations={<DeletedOrganizations />} />
}
