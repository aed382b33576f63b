import { useNavigate } from '@tanstack/react-router'
import type { Partner } from '../../../shared/api/partners.ts'
import { count } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { TextLink } from '../../ui/links.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { planNames } from './partner-labels.ts'
import { PartnerStatus } from './partner-status.tsx'

export function PartnerTable({ partners, isStale }: { partners: Partner[]; isStale: boolean }) {
  const navigate = useNavigate()
  return (
    <DataTable
      label="Companies"
      rows={partners}
      rowKey={({ id }) => id}
      columns={columns}
      minWidth={760}
      isStale={isStale}
      onOpen={({ id }) => navigate({ to: '/companies/$partnerId', params: { partnerId: id } })}
    />
  )
}

const limitText = (plan: Partner['plan'], limit: number | null) =>
  limit === null || plan === 'unlimited' ? 'No limit' : count(limit)

const columns: Column<Partner>[] = [
  { id: 'name', title: 'Name', cell: (partner) => <PartnerLink partner={partner} /> },
  { id: 'status', title: 'Status', width: 130, cell: ({ status }) => <PartnerStatus status={status} /> },
  { id: 'short-name', title: 'Short name', look: 'dimmed', cell: ({ slug }) => slug },
  { id: 'plan', title: 'Plan', cell: ({ plan }) => planNames[plan] },
  {
    id: 'organizations',
    title: 'Organization limit',
    cardTitle: 'Organizations',
    align: 'right',
    cell: ({ plan, maxOrganizations }) => limitText(plan, maxOrganizations),
  },
  {
    id: 'devices',
    title: 'Device limit',
    cardTitle: 'Devices',
    align: 'right',
    cell: ({ plan, maxDevices }) => limitText(plan, maxDevices),
  },
  { id: 'created', title: 'Created', width: 140, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
]

function PartnerLink({ partner: { id, name } }: { partner: Partner }) {
  return (
    <TextLink to="/companies/$partnerId" params={{ partnerId: id }} data-main fw={600} size="sm" c="inherit">
      {name}
    </TextLink>
  )
}
