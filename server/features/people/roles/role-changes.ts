import { randomUUIDv7 } from 'node:crypto'
import type { Updateable } from 'kysely'
import type {
  cloneRole,
  createRole,
  RoleDetail,
  updateRole as updateRoleEndpoint,
} from '../../../../shared/api/roles.ts'
import type { AuditAction } from '../../../../shared/audit-actions/index.ts'
import type { BodyOf } from '../../../../shared/endpoint.ts'
import { assignableGrants, covers, type Grant, grantName } from '../../../../shared/permissions.ts'
import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import { changedFieldsOf, changeOf } from '../../../platform/updates.ts'
import type { Tables } from '../../../tables.ts'
import {
  assertGrantable,
  assertHolds,
  chainOf,
  deleteExpiredInvitations,
  deleteRole,
  findGrants,
  findRole,
  insertRole,
  levelsBelow,
  maxLevels,
  ownGrants,
  type Role,
  updateRole,
  withDescendants,
  writeGrants,
} from '../../access/index.ts'
import type { Selector } from '../tenants/tenant-of-call.ts'
import { fullAdminsOf } from './full-admins.ts'
import { assertHoldersWithinOwnReach, countChildRoles, countHolders, countSsoProviders, isHeldBy } from './holders.ts'
import { isOwnedBy, type Owner, ownerOfClone, ownerOfNew, ownerOfRole } from './owners.ts'
import { roleDetail } from './roles.ts'
import { areaOf, findRoleToWrite, getRoleFacts, isBuiltIn, type RoleFacts } from './tenant-roles.ts'

interface NewRole {
  name: string
  description: string | null
  parentId: string | null
  forceMfa: boolean
  grants: readonly Grant[]
}

/** Creates, changes and deletes roles. Nobody can give a role what they do not hold themselves. */
export class RoleChanges {
  readonly #db: Database
  readonly #clock: Clock
  readonly #audit: Audit

  constructor(db: Database, clock: Clock, audit: Audit) {
    this.#db = db
    this.#clock = clock
    this.#audit = audit
  }

  create(actor: UserActor, selector: Selector, body: BodyOf<typeof createRole>): RoleDetail {
    return this.#db.transaction(() => {
      const owner = ownerOfNew(this.#db, actor, selector, body)
      assertGrantable(actor, body.permissions)
      const parentId = body.parentRoleId ?? null
      if (parentId !== null) this.#assertParent(actor, owner, parentId)
      const { name, forceMfa, permissions: grants } = body
      const description = body.description || null
      const role = this.#insert(owner, { name, description, parentId, forceMfa, grants })
      this.#record(actor, 'role.create', role, { after: this.#contents(role) })
      return this.#detail(actor, role, selector)
    })
  }

  update(actor: UserActor, id: string, selector: Selector, body: BodyOf<typeof updateRoleEndpoint>): RoleDetail {
    return this.#db.transaction(() => {
      const role = findRoleToWrite(this.#db, actor, id, selector)
      if (role.is_system) throw new AppError('system_role_fixed')
      const changedFields = changedFieldsOf(body)
      this.#assertMayChange(actor, role, body)
      const before = this.#contents(role)
      const after = this.#guarded(actor, role, () => this.#write(role, body))
      this.#record(actor, 'role.update', after, changeOf(changedFields, before, this.#contents(after)))
      return this.#detail(actor, after, selector)
    })
  }

  /** @throws AppError `role_has_users`, `role_has_children`, `role_has_sso_providers`, with their numbers in all tenants */
  remove(actor: UserActor, id: string, selector: Selector): void {
    this.#db.transaction(() => {
      const role = findRoleToWrite(this.#db, actor, id, selector)
      if (role.is_system) throw new AppError('system_role_stays')
      deleteExpiredInvitations(this.#db, this.#clock, { roleId: id })
      const userCount = countHolders(this.#db, null, [id]).get(id) ?? 0
      const childRoleCount = countChildRoles(this.#db, null).get(id) ?? 0
      const ssoProviderCount = countSsoProviders(this.#db, [id]).get(id) ?? 0
      const counts = { userCount, childRoleCount, ssoProviderCount }
      const blockers = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
      if (userCount > 0) throw new AppError('role_has_users', blockers)
      if (childRoleCount > 0) throw new AppError('role_has_children', blockers)
      if (ssoProviderCount > 0) throw new AppError('role_has_sso_providers', blockers)
      const before = this.#contents(role)
      deleteRole(this.#db, id)
      this.#record(actor, 'role.delete', role, { before })
    })
  }

  /** Copies all grants of a role, inherited ones included, into a new role; `*` becomes every single permission. */
  clone(actor: UserActor, id: string, selector: Selector, { name }: BodyOf<typeof cloneRole>): RoleDetail {
    return this.#db.transaction(() => {
      const source = findRoleToWrite(this.#db, actor, id, selector)
      const owner = ownerOfClone(this.#db, actor, selector, source)
      const held = findGrants(this.#db, id)
      const grants = assignableGrants.filter((one) => held.some((grant) => covers(grant, one)))
      assertGrantable(actor, grants)
      const { description, force_mfa } = source
      const role = this.#insert(owner, { name, description, parentId: null, forceMfa: force_mfa === 1, grants })
      const from = { sourceRoleId: source.id, sourceRoleName: source.name }
      this.#record(actor, 'role.clone', role, { ...from, after: this.#contents(role) })
      return this.#detail(actor, role, selector)
    })
  }

  #assertMayChange(actor: UserActor, role: Role, body: BodyOf<typeof updateRoleEndpoint>): void {
    const { permissions, parentRoleId, forceMfa } = body
    if (permissions) assertGrantable(actor, permissions)
    if (parentRoleId) this.#assertParent(actor, ownerOfRole(role), parentRoleId, role)
    const isDisarming = forceMfa === false && role.force_mfa === 1 && !actor.holdsFactor
    if (isDisarming && isHeldBy(this.#db, role.id, actor.userId)) throw new AppError('own_role_force_mfa')
  }

  /** A parent passes on all that it grants, now and later, so it has to belong to the same tenant. */
  #assertParent(actor: UserActor, owner: Owner, parentId: string, child?: Role): void {
    const parent = findRole(this.#db, parentId)
    if (!parent || !(isBuiltIn(parent) || isOwnedBy(parent, owner))) throw new AppError('role_parent_missing')
    if (parent.scope !== owner.scope) throw new AppError('role_parent_scope')
    const above = chainOf(this.#db, parent)
    if (child && above.some(({ id }) => id === child.id)) throw new AppError('role_parent_circular')
    const levels = above.length + (child ? levelsBelow(this.#db, child.id) : 1)
    if (levels > maxLevels) throw new AppError('role_parent_too_deep', { maxLevels })
    assertGrantable(actor, findGrants(this.#db, parentId))
  }

  /**
   * Throws after the change, which undoes the transaction, if no full administrator is left, or if holders of the role may
   * do more or reach further than the caller.
   */
  #guarded(actor: UserActor, role: Role, write: () => void): RoleFacts {
    const db = this.#db
    const adminsOf = (partnerId: string | null) => (partnerId === null ? 0 : fullAdminsOf(db, partnerId).length)
    const adminsBefore = adminsOf(role.partner_id)
    const held = this.#heldGrants(role.id)
    write()
    // Roles made by older versions may hold the grant of everything.
    if (adminsBefore > 0 && adminsOf(role.partner_id) === 0) throw new AppError('last_admin')
    assertHoldersWithinOwnReach(db, actor, role.id)
    assertHolds(actor, held)
    return this.#find(role.id)
  }

  /** All grants of the users who have the role, or one that inherits from it. */
  #heldGrants(roleId: string): Grant[] {
    const ids = withDescendants(this.#db, roleId)
    const holders = countHolders(this.#db, null, ids)
    return ids.filter((id) => holders.has(id)).flatMap((id) => findGrants(this.#db, id))
  }

  #write(
    role: Role,
    { name, description, permissions, parentRoleId, forceMfa }: BodyOf<typeof updateRoleEndpoint>,
  ): void {
    const columns: Updateable<Tables['roles']> = {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description: description || null }),
      ...(parentRoleId !== undefined && { parent_role_id: parentRoleId }),
      ...(forceMfa !== undefined && { force_mfa: forceMfa ? 1 : 0 }),
      updated_at: isoNow(this.#clock),
    }
    updateRole(this.#db, role.id, columns)
    if (permissions) writeGrants(this.#db, role.id, permissions)
  }

  #insert(owner: Owner, { name, description, parentId, forceMfa, grants }: NewRole): RoleFacts {
    const id = randomUUIDv7()
    const now = isoNow(this.#clock)
    const columns = { ...owner, id, name, description, parent_role_id: parentId, force_mfa: forceMfa ? 1 : 0 } as const
    insertRole(this.#db, { ...columns, created_at: now, updated_at: now })
    writeGrants(this.#db, id, grants)
    return this.#find(id)
  }

  #find(id: string): RoleFacts {
    return getRoleFacts(this.#db, id)
  }

  #detail(actor: UserActor, role: RoleFacts, selector: Selector): RoleDetail {
    return roleDetail(this.#db, role, areaOf(actor, role, selector))
  }

  /** The role as audit events show it, with the names of the contract. */
  #contents(role: RoleFacts): Record<string, unknown> {
    const { name, description, parent_role_id: parentRoleId, parent_role_name: parentRoleName, force_mfa } = role
    const permissions = ownGrants(this.#db, role.id).map(grantName)
    return { name, description, permissions, parentRoleId, parentRoleName, forceMfa: force_mfa === 1 }
  }

  #record(actor: UserActor, action: AuditAction, role: Role, details: Record<string, unknown>): void {
    const { id, name, org_id: orgId, partner_id: partnerId } = role
    this.#audit(actor, { action, resourceType: 'role', resourceId: id, resourceName: name, orgId, partnerId, details })
  }
}
