import { Table } from '@mantine/core'
import type { OrganizationRow } from '../../data/organizations.ts'
import { OrganizationStatus } from '../../domain/organizations/organization-status.tsx'
import { count } from '../../lib/format.ts'
import { TextLink } from '../../ui/links.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

/** The cells of an organization, in every list. */
export function OrganizationCells({ row }: { row: OrganizationRow }) {
  return (
    <>
      <Table.Td data-main-cell>
        <TextLink
          to="/organizations/$orgId"
          params={{ orgId: row.id }}
          onClick={(event) => event.stopPropagation()}
          data-main
          fw={600}
          size="sm"
          c="inherit"
        >
          {row.name}
        </TextLink>
      </Table.Td>
      <Table.Td data-label="Status">
        <OrganizationStatus status={row.status} />
      </Table.Td>
      <Table.Td data-label="Short name" c="dimmed">
        {row.slug}
      </Table.Td>
      <Table.Td data-label="Devices" ta={{ sm: 'right' }}>
        {count(row.deviceCount)}
      </Table.Td>
      <Table.Td data-label="Created">
        <RelativeTime at={row.createdAt} />
      </Table.Td>
    </>
  )
}

export function OrganizationHeads() {
  return (
    <>
      <Table.Th>Name</Table.Th>
      <Table.Th w={130}>Status</Table.Th>
      <Table.Th>Short name</Table.Th>
      <Table.Th ta="right" w={90}>
        Devices
      </Table.Th>
      <Table.Th w={140}>Created</Table.Th>
    </>
  )
}
