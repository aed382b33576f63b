import { Table } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { Partner } from '../../../shared/api/partners.ts'
import { count } from '../../lib/format.ts'
import { TableFrame } from '../../ui/data-table/table-frame.tsx'
import { useRowKeys } from '../../ui/data-table/use-row-keys.ts'
import { TextLink } from '../../ui/links.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { planNames } from './partner-labels.ts'
import { PartnerStatus } from './partner-status.tsx'

export function PartnerTable({ partners, isStale }: { partners: Partner[]; isStale: boolean }) {
  const body = useRowKeys<HTMLTableSectionElement>()
  const navigate = useNavigate()
  return (
    <TableFrame label="Companies" isStale={isStale}>
      <Table tabularNums miw={{ sm: 760 }}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th w={130}>Status</Table.Th>
            <Table.Th>Short name</Table.Th>
            <Table.Th>Plan</Table.Th>
            <Table.Th ta="right">Organization limit</Table.Th>
            <Table.Th ta="right">Device limit</Table.Th>
            <Table.Th w={140}>Created</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody {...body}>
          {partners.map((partner) => (
            <Table.Tr
              key={partner.id}
              data-clickable
              onClick={() => navigate({ to: '/companies/$partnerId', params: { partnerId: partner.id } })}
            >
              <Cells partner={partner} />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </TableFrame>
  )
}

function Cells({ partner }: { partner: Partner }) {
  const { id, name, status, slug, plan, maxOrganizations, maxDevices, createdAt } = partner
  const limit = (most: number | null) => (most === null || plan === 'unlimited' ? 'No limit' : count(most))
  return (
    <>
      <Table.Td>
        <TextLink
          to="/companies/$partnerId"
          params={{ partnerId: id }}
          onClick={(event) => event.stopPropagation()}
          data-main
          fw={600}
          size="sm"
          c="inherit"
        >
          {name}
        </TextLink>
      </Table.Td>
      <Table.Td data-label="Status">
        <PartnerStatus status={status} />
      </Table.Td>
      <Table.Td data-label="Short name" c="dimmed">
        {slug}
      </Table.Td>
      <Table.Td data-label="Plan">{planNames[plan]}</Table.Td>
      <Table.Td data-label="Organizations" ta={{ sm: 'right' }}>
        {limit(maxOrganizations)}
      </Table.Td>
      <Table.Td data-label="Devices" ta={{ sm: 'right' }}>
        {limit(maxDevices)}
      </Table.Td>
      <Table.Td data-label="Created">
        <RelativeTime at={createdAt} />
      </Table.Td>
    </>
  )
}
