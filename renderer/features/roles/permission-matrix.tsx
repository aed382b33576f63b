import { Stack, Table, Text, Title } from '@mantine/core'
import type { Permission } from '../../../shared/permissions.ts'
import { actionName, resourceName } from '../../domain/roles/permission-labels.ts'
import { useNarrowScreen } from '../../lib/use-narrow-screen.ts'
import { TableFrame } from '../../ui/data-table/table-frame.tsx'
import classes from './matrix.module.css'
import { PermissionBox } from './permission-box.tsx'
import { type Cell, type Matrix, matrixOf, type Row } from './permission-grid.ts'
import type { PermissionState } from './permission-state.ts'
import { useGridKeys } from './use-grid-keys.ts'

interface Props {
  search: string
  verdict: (permission: Permission) => PermissionState
  onTurn: (permission: Permission, isWanted: boolean) => void
  /** The permission that the URL names. */
  pointedAt: Permission | undefined
}

/** All permissions by area; on a narrow screen as a list. */
export function PermissionMatrix({ search, ...props }: Props) {
  const matrix = matrixOf(search)
  const isNarrow = useNarrowScreen()
  if (matrix.areas.length === 0) return <Text c="dimmed">No permissions match.</Text>
  return isNarrow ? <List matrix={matrix} {...props} /> : <Grid matrix={matrix} {...props} />
}

type PartProps = Omit<Props, 'search'> & { matrix: Matrix }

const cellsIn = ({ cells, others }: Row): Cell[] => [...Object.values(cells), ...others]

function Grid({ matrix: { columns, areas, hasOthers }, verdict, onTurn, pointedAt }: PartProps) {
  const shown = areas.flatMap(({ rows }) => rows.flatMap(cellsIn)).map(({ permission }) => permission)
  const { grid, stopAmong, onKeyDown, onFocus } = useGridKeys<HTMLTableElement>(shown[0])
  const stop = stopAmong(shown)
  const box = ({ permission, action }: Cell, isNamed: boolean) => (
    <PermissionBox
      key={permission}
      permission={permission}
      verdict={verdict(permission)}
      onTurn={onTurn}
      isPointedAt={permission === pointedAt}
      tabIndex={permission === stop ? 0 : -1}
      {...(isNamed && { action })}
    />
  )
  return (
    <TableFrame label="Permissions">
      <Table
        ref={grid}
        role="grid"
        aria-label="Permissions"
        className={classes.grid}
        onKeyDown={onKeyDown}
        onFocus={onFocus}
      >
        {areas.map(({ name, rows }) => (
          <Table.Tbody key={name}>
            <Table.Tr>
              <Table.Th className={classes.area}>{name}</Table.Th>
              {columns.map((action) => (
                <Table.Th key={action}>{rows.some(({ cells }) => cells[action]) && actionName(action)}</Table.Th>
              ))}
              {hasOthers && <Table.Th>{rows.some(({ others }) => others.length > 0) && 'More'}</Table.Th>}
            </Table.Tr>
            {rows.map(({ resource, cells, others }) => (
              <Table.Tr key={resource}>
                <Table.Th scope="row" className={classes.resource}>
                  {resourceName(resource)}
                </Table.Th>
                {columns.map((action) => (
                  <Table.Td key={action}>{cells[action] && box(cells[action], false)}</Table.Td>
                ))}
                {hasOthers && (
                  <Table.Td>
                    <div className={classes.others}>{others.map((cell) => box(cell, true))}</div>
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        ))}
      </Table>
    </TableFrame>
  )
}

function List({ matrix, verdict, onTurn, pointedAt }: PartProps) {
  return (
    <Stack gap="lg">
      {matrix.areas.map(({ name, rows }) => (
        <Stack key={name} component="section" aria-label={name} gap="sm">
          <Title order={3} size="h6" c="dimmed">
            {name}
          </Title>
          {rows.map((row) => (
            <Stack key={row.resource} role="group" aria-label={resourceName(row.resource)} gap={6}>
              <Text size="sm" fw={600}>
                {resourceName(row.resource)}
              </Text>
              {cellsIn(row).map(({ permission, action }) => (
                <PermissionBox
                  key={permission}
                  permission={permission}
                  action={action}
                  verdict={verdict(permission)}
                  onTurn={onTurn}
                  isPointedAt={permission === pointedAt}
                  isWordy
                />
              ))}
            </Stack>
          ))}
        </Stack>
      ))}
    </Stack>
  )
}
