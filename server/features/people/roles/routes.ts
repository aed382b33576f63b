import * as contract from '../../../../shared/api/roles.ts'
import { describedGrants } from '../../../../shared/permission-descriptions.ts'
import { actionLabels, permissionCatalog, resourceLabels } from '../../../../shared/permissions.ts'
import type { Http } from '../../../platform/http/http.ts'
import { assertFullPartner } from '../tenants/tenant-of-call.ts'
import type { RoleChanges } from './role-changes.ts'
import type { Roles } from './roles.ts'

export function roleRoutes(http: Http, { roles, roleChanges }: { roles: Roles; roleChanges: RoleChanges }): void {
  http.user(contract.listRoles, ({ actor, query }) => ({ data: roles.list(actor, query) }))
  http.user(contract.createRole, ({ actor, query, body }) => roleChanges.create(actor, query, body))
  http.user(contract.readRole, ({ actor, params, query }) => roles.read(actor, params.id, query))
  http.user(contract.updateRole, ({ actor, params, query, body }) => roleChanges.update(actor, params.id, query, body))
  http.user(contract.deleteRole, ({ actor, params, query }) => {
    roleChanges.remove(actor, params.id, query)
    return { success: true as const }
  })
  http.user(contract.cloneRole, ({ actor, params, query, body }) => roleChanges.clone(actor, params.id, query, body))
  http.user(contract.roleUsers, ({ actor, params, query }) => ({ data: roles.users(actor, params.id, query) }))
  http.user(contract.effectivePermissions, ({ actor, params, query }) => roles.effective(actor, params.id, query))
  http.user(contract.availablePermissions, ({ actor }) => {
    assertFullPartner(actor)
    return {
      resources: Object.keys(permissionCatalog),
      actions: [...new Set(Object.values(permissionCatalog).flat())],
    }
  })
  http.user(contract.permissionCatalogue, () => ({ permissions: describedGrants, resourceLabels, actionLabels }))
}
