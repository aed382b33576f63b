import type { effectivePermissions, RoleDetail, RoleRow, roleUsers } from '../../../../shared/api/roles.ts'
import type { ReplyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { chainOf, ownGrants, sourcedGrants } from '../../access/index.ts'
import type { Selector } from '../tenants/tenant-of-call.ts'
import { countChildRoles, countHolders, countSsoProviders, listHolders, type RoleArea } from './holders.ts'
import { areaOf, findRoleToRead, listRoles, type RoleFacts, roleView } from './tenant-roles.ts'

/** Reads roles, what they grant and who has them. */
export class Roles {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  list(actor: UserActor, selector: Selector): RoleRow[] {
    return listRoles(this.#db, actor, selector)
  }

  read(actor: UserActor, id: string, selector: Selector): RoleDetail {
    const role = findRoleToRead(this.#db, actor, id, selector)
    return roleDetail(this.#db, role, areaOf(actor, role, selector))
  }

  users(actor: UserActor, id: string, selector: Selector): ReplyOf<typeof roleUsers>['data'] {
    const role = findRoleToRead(this.#db, actor, id, selector)
    return listHolders(this.#db, areaOf(actor, role, selector), id)
  }

  effective(actor: UserActor, id: string, selector: Selector): ReplyOf<typeof effectivePermissions> {
    const role = findRoleToRead(this.#db, actor, id, selector)
    const chain = chainOf(this.#db, role)
    return {
      roleId: role.id,
      roleName: role.name,
      inheritanceChain: chain.slice(1).map((above) => ({ id: above.id, name: above.name })),
      permissions: sourcedGrants(this.#db, chain),
    }
  }
}

export const roleDetail = (db: Database, role: RoleFacts, area: RoleArea | null): RoleDetail => ({
  ...roleView(role, {
    holders: countHolders(db, area, [role.id]),
    children: countChildRoles(db, area),
    providers: countSsoProviders(db, [role.id]),
  }),
  permissions: ownGrants(db, role.id),
})
