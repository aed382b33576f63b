import { Group, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { softwareQuery } from '../../data/devices.ts'
import { dash } from '../../lib/format.ts'
import classes from '../../ui/data-table/table.module.css'
import { TableFrame } from '../../ui/data-table/table-frame.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { Pager } from '../../ui/pager.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { NoMatch } from '../../ui/states.tsx'
import { NotReportedYet } from './hardware-tab.tsx'

export function SoftwareTab({ deviceId }: { deviceId: string }) {
  const { search, page = 1 } = useSearch({ from: '/app/devices/$deviceId' })
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  const software = useQuery(softwareQuery(deviceId, search, page))
  const setSearch = (text: string | undefined) =>
    navigate({ search: (old) => ({ ...old, search: text, page: undefined }), replace: true })
  const setPage = (next?: number) => navigate({ search: (old) => ({ ...old, page: next }) })
  return (
    <>
      <Group mb="md">
        <SearchBox label="Search the software" value={search} onSearch={setSearch} />
      </Group>
      <Listed
        of={software}
        empty={
          search || page > 1 ? (
            <NoMatch what="programs" onClear={() => setSearch(undefined)} />
          ) : (
            <NotReportedYet what="software" />
          )
        }
      >
        {({ data, pagination }) => (
          <>
            <TableFrame label="Installed software" isStale={software.isPlaceholderData}>
              <Table tabularNums miw={{ sm: 560 }} verticalSpacing={6}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Name</Table.Th>
                    <Table.Th>Version</Table.Th>
                    <Table.Th visibleFrom="sm">Publisher</Table.Th>
                    <Table.Th visibleFrom="sm">Installed</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {data.map((one) => (
                    <Table.Tr key={`${one.name} ${one.version} ${one.installLocation}`}>
                      <Table.Td className={classes.words}>
                        {one.name}
                        <Text size="xs" c="dimmed" hiddenFrom="sm">
                          {[one.vendor, one.installDate].filter(Boolean).join(' · ')}
                        </Text>
                      </Table.Td>
                      <Table.Td className={classes.words}>{one.version ?? dash}</Table.Td>
                      <Table.Td visibleFrom="sm">{one.vendor ?? dash}</Table.Td>
                      <Table.Td visibleFrom="sm">{one.installDate ?? dash}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </TableFrame>
            <Pager {...pagination} what="program" onPage={setPage} />
          </>
        )}
      </Listed>
    </>
  )
}
