import { isInUse } from '../../../shared/api/in-use.ts'
import { actionLabels, allPermissions, resourceLabels } from '../../../shared/permissions.ts'

type Resource = keyof typeof resourceLabels
type Action = keyof typeof actionLabels

export const resourceName = (resource: string): string => resourceLabels[resource as Resource] ?? resource
export const actionName = (action: string): string => actionLabels[action as Action] ?? action

/** Such as `Devices: run`. */
export function permissionName(permission: string): string {
  const [resource = '', action = ''] = permission.split(':')
  return `${resourceName(resource)}: ${actionName(action).toLowerCase()}`
}

/** Longer lists end with their number. */
const maxListed = 8

/** Such as `Devices (view, run) and Sites (view)`, followed by how many more there are, and how many nothing asks for. */
export function summarizePermissions(permissions: readonly string[]): string {
  const inOrder = allPermissions.filter((permission) => permissions.includes(permission))
  const used = inOrder.filter(isInUse)
  const parts = used.map((permission) => permission.split(':'))
  const names = [...Map.groupBy(parts, ([resource = '']) => resource)].map(([resource, of]) => {
    const actions = of.map(([, action = '']) => actionName(action).toLowerCase())
    return `${resourceName(resource)} (${actions.join(', ')})`
  })
  const rest = names.length - maxListed
  const unused = inOrder.length - used.length
  return new Intl.ListFormat('en').format([
    ...names.slice(0, maxListed),
    ...(rest > 0 ? [`${rest} more`] : []),
    ...(unused > 0 ? [`${unused} not used yet`] : []),
  ])
}
