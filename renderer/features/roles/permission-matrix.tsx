import { Accordion, Stack, Table, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { isInUse } from '../../../shared/api/in-use.ts'
import type { Permission } from '../../../shared/permissions.ts'
import { actionName, resourceName } from '../../domain/roles/permission-labels.ts'
import { useNarrowScreen } from '../../lib/use-narrow-screen.ts'
import { TableFrame } from '../../ui/data-table/table-frame.tsx'
import classes from './matrix.module.css'
import { PermissionBox } from './permission-box.tsx'
import { type Cell, cellsIn, type Matrix, matrixOf } from './permission-grid.ts'
import type { PermissionState } from './permission-state.ts'
import { useGridKeys } from './use-grid-keys.ts'

interface Props {
  search: string
  verdict: (permission: Permission) => PermissionState
  onTurn: (permission: Permission, isWanted: boolean) => void
  /** The permission that the URL names. */
  pointedAt: Permission | undefined
}

/** All permissions by area; those that nothing asks for come last and folded. */
export function PermissionMatrix({ search, ...props }: Props) {
  const [used, unused] = [matrixOf(search, isInUse), matrixOf(search, (permission) => !isInUse(permission))]
  if (used.count + unused.count === 0)
    return (
      <Text c="dimmed" role="status">
        No permissions match.
      </Text>
    )
  return (
    <>
      {used.count > 0 && <Part label="Permissions" matrix={used} {...props} />}
      {unused.count > 0 && (
        <NotUsedYet
          key={`${search} ${props.pointedAt}`}
          count={unused.count}
          isOpen={search !== '' || (props.pointedAt !== undefined && !isInUse(props.pointedAt))}
        >
          <Part label="Permissions not used yet" matrix={unused} {...props} />
        </NotUsedYet>
      )}
    </>
  )
}

interface NotUsedProps {
  count: number
  /** At first. */
  isOpen: boolean
  children: ReactNode
}

function NotUsedYet({ count, isOpen, children }: NotUsedProps) {
  return (
    <Accordion defaultValue={isOpen ? 'unused' : null} chevronPosition="left">
      <Accordion.Item value="unused">
        <Accordion.Control>
          <Text size="sm" fw={600}>
            Not used yet ({count})
          </Text>
        </Accordion.Control>
        <Accordion.Panel>
          <Stack gap="sm">
            <Text size="sm" c="dimmed">
              No part of Homeport asks for these permissions, so granting them changes nothing.
            </Text>
            {children}
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}

type PartProps = Omit<Props, 'search'> & { label: string; matrix: Matrix }

/** On a narrow screen as a list. */
const Part = (props: PartProps) => (useNarrowScreen() ? <List {...props} /> : <Grid {...props} />)

function Grid({ label, matrix: { columns, areas, hasOthers }, verdict, onTurn, pointedAt }: PartProps) {
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
    <TableFrame label={label}>
      <Table ref={grid} role="grid" aria-label={label} className={classes.grid} onKeyDown={onKeyDown} onFocus={onFocus}>
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

function List({ matrix, verdict, onTurn, pointedAt }: Omit<PartProps, 'label'>) {
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
