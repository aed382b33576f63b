import type { OrganizationRow } from '../../data/organizations.ts'
import { OrganizationStatus } from '../../domain/organizations/organization-status.tsx'
import { count } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { TextLink } from '../../ui/links.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

/** The columns of organizations, in every list. */
export const organizationColumns: Column<OrganizationRow>[] = [
  { id: 'name', title: 'Name', isFixed: true, cell: (row) => <OrganizationLink row={row} /> },
  { id: 'status', title: 'Status', width: 130, cell: ({ status }) => <OrganizationStatus status={status} /> },
  { id: 'short-name', title: 'Short name', look: 'dimmed', cell: ({ slug }) => slug },
  { id: 'devices', title: 'Devices', width: 90, align: 'right', cell: ({ deviceCount }) => count(deviceCount) },
  { id: 'created', title: 'Created', width: 140, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
]

function OrganizationLink({ row: { id, name } }: { row: OrganizationRow }) {
  return (
    <TextLink to="/organizations/$orgId" params={{ orgId: id }} data-main fw={600} size="sm" c="inherit">
      {name}
    </TextLink>
  )
}
