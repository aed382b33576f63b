import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { assignRole } from '../../shared/api/people.ts'
import { usersMe } from '../../shared/api/profile.ts'
import { cloneRole, createRole, deleteRole, effectivePermissions, updateRole } from '../../shared/api/roles.ts'
import { allPermissions, type Permission } from '../../shared/permissions.ts'
import { person } from '../helpers/factories.ts'
import type { Answer } from '../helpers/test-app.ts'
import { times } from '../helpers/thorough.ts'
import { give, grants, namesOf, roleScene } from './role-kit.ts'

/**
 * Random roles, people and calls by fast-check, compared with a model of a few lines: what each role permits, what each
 * call answers, and that no call gives anybody a permission its caller does not hold.
 */

const aboutPeople: Permission[] = ['users:read', 'users:write', 'users:delete']
const others: Permission[] = ['devices:read', 'scripts:execute', 'sites:read', 'alerts:write']
const someOf = fc.subarray([...aboutPeople, ...others])
/** Most can manage people, because otherwise nearly every call would be refused. */
const ownOf = fc.oneof({ weight: 3, arbitrary: fc.subarray(others).map((few) => [...aboutPeople, ...few]) }, someOf)
const places = ['partner', 'organization'] as const
type Place = (typeof places)[number]

const rolePlan = fc.record({ place: fc.constantFrom(...places), own: ownOf, parent: fc.option(fc.nat()) })
const kinds = ['create', 'permit', 'inherit', 'clone', 'delete', 'assign'] as const
const stepPlan = fc.record({
  kind: fc.constantFrom(...kinds),
  caller: fc.nat(),
  role: fc.nat(),
  other: fc.option(fc.nat(), { freq: 3 }),
  wanted: someOf,
})
const plan = fc.record({
  roles: fc.array(rolePlan, { minLength: 3, maxLength: 7 }),
  people: fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
  steps: fc.array(stepPlan, { minLength: 4, maxLength: 14 }),
})
type Step = typeof stepPlan extends fc.Arbitrary<infer T> ? T : never
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never

interface Role {
  id: string
  place: Place
  own: readonly string[]
  parent: string | null
  isBuiltIn: boolean
}
interface Caller {
  id: string
  token: string
  place: Place
  role: string
}

class Model {
  readonly roles = new Map<string, Role>()
  readonly callers: Caller[] = []

  role(id: string): Role {
    return this.roles.get(id) as Role
  }
  chain(id: string): Role[] {
    const { parent } = this.role(id)
    return [this.role(id), ...(parent ? this.chain(parent) : [])]
  }
  effective(id: string): Set<string> {
    return new Set(this.chain(id).flatMap(({ own }) => own))
  }
  holds({ role }: Caller, wanted: Iterable<string>): boolean {
    const held = this.effective(role)
    return held.has('*:*') || [...wanted].every((name) => held.has(name))
  }
  /** A member of the company sees its roles and, naming the organization, those of it. */
  sees({ place }: Caller, role: Role): boolean {
    return place === 'partner' || role.place === 'organization'
  }
  /** The code of the refusal; null for a call that succeeds. */
  refusal({ kind, wanted }: Step, caller: Caller, role: Role, other: Role | null, target: Caller): string | null {
    const needed: Permission = kind === 'delete' ? 'users:delete' : 'users:write'
    if (!this.holds(caller, [needed])) return this.effective(caller.role).size ? 'permission_denied' : 'no_permissions'
    const unlessHeld = (names: Iterable<string>) => (this.holds(caller, names) ? null : 'permission_not_held')
    if (kind === 'assign') return this.#refusalOfAssignment(caller, role, target)
    if (kind === 'create') return unlessHeld(wanted) ?? this.#refusalOfParent(caller, caller.place, other)
    if (!this.sees(caller, role)) return 'role_not_found'
    if (kind === 'clone') return unlessHeld(expanded(this.effective(role.id)))
    if (role.isBuiltIn) return kind === 'delete' ? 'system_role_stays' : 'system_role_fixed'
    if (kind === 'delete') return this.#refusalOfDeletion(role)
    return kind === 'permit'
      ? (unlessHeld(wanted) ?? this.#refusalOfStronger(caller, role))
      : (this.#refusalOfParent(caller, role.place, other, role) ?? this.#refusalOfStronger(caller, role))
  }
  /** Roles of people who may do more than the caller cannot be changed. */
  #refusalOfStronger(caller: Caller, role: Role): string | null {
    const concerned = this.callers.filter((one) => this.chain(one.role).includes(role))
    return concerned.every((one) => this.holds(caller, this.effective(one.role))) ? null : 'permission_not_held'
  }
  #refusalOfParent(caller: Caller, place: Place, parent: Role | null, child?: Role): string | null {
    if (!parent) return null
    if (parent.place !== place) return parent.isBuiltIn ? 'role_parent_scope' : 'role_parent_missing'
    if (child && this.chain(parent.id).includes(child)) return 'role_parent_circular'
    const inherited = this.effective(parent.id)
    if (inherited.has('*:*')) return 'wildcard_in_custom_role'
    return this.holds(caller, inherited) ? null : 'permission_not_held'
  }
  #refusalOfDeletion({ id }: Role): string | null {
    if (this.callers.some((one) => one.role === id)) return 'role_has_users'
    return [...this.roles.values()].some(({ parent }) => parent === id) ? 'role_has_children' : null
  }
  #refusalOfAssignment(caller: Caller, role: Role, target: Caller): string | null {
    if (target === caller) return 'own_role_change'
    if (caller.place === 'organization' && target.place === 'partner') return 'user_not_found'
    if (!this.holds(caller, this.effective(target.role))) return 'user_may_do_more'
    if (role.place !== target.place) return 'role_not_of_scope'
    return this.holds(caller, this.effective(role.id)) ? null : 'permission_not_held'
  }
}

const expanded = (held: Set<string>) => allPermissions.filter((name) => held.has('*:*') || held.has(name))
const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T

async function world() {
  const scene = await roleScene()
  const { app, admin, org } = scene
  const people: Omit<Caller, 'role'>[] = []
  for (const place of ['partner', 'partner', 'partner', 'organization', 'organization', 'organization'] as const) {
    const where = place === 'partner' ? { partnerId: admin.partnerId } : { orgId: org.id }
    people.push({ place, ...(await person(app, { email: `p${people.length}@x.test`, scope: place, ...where })) })
  }
  const builtInRoles: Role[] = []
  for (const [name, place] of [
    ['Partner Admin', 'partner'],
    ['Partner Viewer', 'partner'],
    ['Org Viewer', 'organization'],
  ] as const) {
    const id = findBuiltInRole(app.db, name, place) as string
    const { body } = await app.call(effectivePermissions, { params: { id } }, admin)
    builtInRoles.push({ id, place, own: namesOf(body.permissions), parent: null, isBuiltIn: true })
  }
  return { ...scene, people, builtInRoles, [Symbol.asyncDispose]: scene[Symbol.asyncDispose] }
}
type World = Awaited<ReturnType<typeof world>>

async function begin({ app, org, make, people, builtInRoles }: World, given: Plan) {
  const model = new Model()
  for (const role of builtInRoles) model.roles.set(role.id, { ...role })
  for (const { place, own, parent } of given.roles) {
    const mates = [...model.roles.values()].filter((role) => role.place === place && !role.own.includes('*:*'))
    const above = parent === null ? null : at(mates, parent).id
    const orgId = place === 'organization' ? org.id : undefined
    const permissions = grants(...own)
    const { id } = await make({ permissions, ...(above && { parentRoleId: above }), ...(orgId && { orgId }) })
    model.roles.set(id, { id, place, own, parent: above, isBuiltIn: false })
  }
  for (const [index, one] of people.entries()) {
    const role = at(
      [...model.roles.values()].filter(({ place }) => place === one.place),
      given.people[index] as number,
    )
    give(app, one.id, role.id)
    model.callers.push({ ...one, role: role.id })
  }
  return model
}

/** Makes the call, and applies the same change to the model if the model allows it. */
async function take(
  { app, org }: World,
  model: Model,
  step: Step,
): Promise<{ expected: string | null; answer: Answer<object> }> {
  const roles = [...model.roles.values()]
  const [caller, role] = [at(model.callers, step.caller), at(roles, step.role)]
  const other = step.other === null ? null : at(roles, step.other)
  const target = at(model.callers, step.other ?? 0)
  const expected = model.refusal(step, caller, role, other, target)
  const call = { params: { id: role.id }, query: { orgId: org.id } }
  const [name, by] = [{ name: 'Role' }, { token: caller.token }]
  const permissions = grants(...step.wanted)
  const parentRoleId = other?.id ?? null
  const added = (id: string, place: Place, own: readonly string[], parent: string | null) =>
    expected === null && model.roles.set(id, { id, place, own, parent, isBuiltIn: false })
  switch (step.kind) {
    case 'create': {
      const answer = await app.call(createRole, { body: { ...name, permissions, parentRoleId } }, by)
      added(answer.body.id, caller.place, step.wanted, parentRoleId)
      return { expected, answer }
    }
    case 'clone': {
      const answer = await app.call(cloneRole, { ...call, body: name }, by)
      added(answer.body.id, role.place, expanded(model.effective(role.id)), null)
      return { expected, answer }
    }
    case 'permit': {
      const answer = await app.call(updateRole, { ...call, body: { permissions } }, by)
      if (expected === null) role.own = step.wanted
      return { expected, answer }
    }
    case 'inherit': {
      const answer = await app.call(updateRole, { ...call, body: { parentRoleId } }, by)
      if (expected === null) role.parent = parentRoleId
      return { expected, answer }
    }
    case 'delete': {
      const answer = await app.call(deleteRole, call, by)
      if (expected === null) model.roles.delete(role.id)
      return { expected, answer }
    }
    case 'assign': {
      const where = target.place === 'organization' ? ({ ownerScope: 'organization', orgId: org.id } as const) : {}
      const whom = { params: { id: target.id }, query: where, body: { roleId: role.id } }
      const answer = await app.call(assignRole, whom, by)
      if (expected === null) target.role = role.id
      return { expected, answer }
    }
  }
}

/** The permissions of all people as the appliance reports them. */
const heldBy = async ({ app }: World, callers: readonly Caller[]) =>
  new Map(
    await Promise.all(
      callers.map(async ({ id, token }): Promise<[string, string[]]> => {
        const { body } = await app.call(usersMe, {}, { token })
        return [id, namesOf(body.permissions)]
      }),
    ),
  )

test('no sequence of calls gives anybody a permission its caller lacks, and all results match the model', async () => {
  await using scene = await world()
  await fc.assert(
    fc.asyncProperty(plan, async (given) => {
      const model = await begin(scene, given)
      let before = await heldBy(scene, model.callers)
      for (const step of given.steps) {
        const caller = at(model.callers, step.caller)
        const own = new Set(before.get(caller.id))
        const { expected, answer } = await take(scene, model, step)
        expect([answer.status < 300, (answer.body as { code?: string }).code ?? null]).toEqual([
          expected === null,
          expected,
        ])
        const after = await heldBy(scene, model.callers)
        for (const { id, role } of model.callers) {
          expect(after.get(id)?.toSorted()).toEqual([...model.effective(role)].toSorted())
          const gained = (after.get(id) ?? []).filter((name) => !before.get(id)?.includes(name))
          if (!own.has('*:*')) expect(gained.filter((name) => !own.has(name))).toEqual([])
        }
        const gainedThemselves = after.get(caller.id)?.filter((name) => !own.has(name))
        expect(gainedThemselves, 'nobody gains by what they do themselves').toEqual([])
        before = after
      }
    }),
    { numRuns: times(40, 15) },
  )
})
