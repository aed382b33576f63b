import { descriptionOf } from '../../../shared/permission-descriptions.ts'
import {
  type actionLabels,
  assignableGrants,
  grantName,
  type Permission,
  type resourceLabels,
} from '../../../shared/permissions.ts'
import { actionName, resourceName } from '../../domain/roles/permission-labels.ts'
import { wordSearch } from '../../lib/word-search.ts'

type Resource = keyof typeof resourceLabels
type Action = keyof typeof actionLabels

/** Areas in which people would look for a permission. */
const areas: readonly { name: string; resources: readonly Resource[] }[] = [
  { name: 'Devices and sites', resources: ['devices', 'sites', 'topology', 'remote', 'agent_rollback', 'backup'] },
  { name: 'Scripts and alerts', resources: ['scripts', 'variables', 'automations', 'alerts', 'reports'] },
  { name: 'Service desk', resources: ['tickets', 'ticket_mailbox', 'time_entries'] },
  { name: 'Billing', resources: ['catalog', 'quotes', 'contracts', 'invoices', 'accounting', 'billing'] },
  { name: 'People and organizations', resources: ['organizations', 'users', 'sso'] },
  { name: 'Security', resources: ['audit', 'pam', 'vulnerabilities', 'approvals'] },
  { name: 'AI and apps', resources: ['workspace', 'connected_apps', 'ai_agents', 'ai_sessions'] },
]

export interface Cell {
  permission: Permission
  action: Action
}

export interface Row {
  resource: Resource
  /** Actions that have a column of their own. */
  cells: Partial<Record<Action, Cell>>
  /** Actions that only few resources have. */
  others: Cell[]
}

export interface Matrix {
  /** Of permissions. */
  count: number
  columns: Action[]
  areas: { name: string; rows: Row[] }[]
  hasOthers: boolean
}

const isColumn: readonly Action[] = ['read', 'write', 'delete', 'execute', 'manage']
const cellsOf = new Map(
  [...Map.groupBy(assignableGrants, ({ resource }) => resource)].map(([resource, grants]) => [
    resource,
    grants.map((grant): Cell => ({ permission: grantName(grant) as Permission, action: grant.action as Action })),
  ]),
)

/**
 * Rows and columns of those of the permissions that match every word of the search, without empty ones. When no name
 * matches, those whose description does.
 */
export function matrixOf(search: string, isWanted: (permission: Permission) => boolean): Matrix {
  const byName = matrixBy(nameOf, search, isWanted)
  return byName.count > 0 ? byName : matrixBy(({ permission }) => descriptionOf(permission), search, isWanted)
}

const nameOf = ({ permission, action }: Cell, area: string, resource: Resource) =>
  `${area} ${resourceName(resource)} ${actionName(action)} ${permission}`

type Text = (cell: Cell, area: string, resource: Resource) => string

function matrixBy(text: Text, search: string, isWanted: (permission: Permission) => boolean): Matrix {
  const fits = wordSearch(search)
  const cells = (resource: Resource) => (cellsOf.get(resource) ?? []).filter(({ permission }) => isWanted(permission))
  const found = areas
    .map(({ name, resources }) => ({
      name,
      rows: resources.flatMap((resource) =>
        rowOf(name, resource, cells(resource), fits, (cell) => text(cell, name, resource)),
      ),
    }))
    .filter(({ rows }) => rows.length > 0)
  const rows = found.flatMap((area) => area.rows)
  return {
    count: rows.reduce((sum, row) => sum + cellsIn(row).length, 0),
    columns: isColumn.filter((action) => rows.some(({ cells }) => cells[action])),
    areas: found,
    hasOthers: rows.some(({ others }) => others.length > 0),
  }
}

export const cellsIn = ({ cells, others }: Row): Cell[] => [...Object.values(cells), ...others]

/** A match on the resource shows all of its permissions. */
function rowOf(
  area: string,
  resource: Resource,
  all: readonly Cell[],
  fits: (text: string) => boolean,
  text: (cell: Cell) => string,
): Row[] {
  const isFound = fits(`${area} ${resourceName(resource)} ${resource}`)
  const shown = isFound ? all : all.filter((cell) => fits(text(cell)))
  if (shown.length === 0) return []
  const cells = Object.fromEntries(
    shown.filter(({ action }) => isColumn.includes(action)).map((cell) => [cell.action, cell]),
  )
  return [{ resource, cells, others: shown.filter(({ action }) => !isColumn.includes(action)) }]
}
