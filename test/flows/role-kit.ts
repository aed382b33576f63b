import { q } from '../../server/db/query.ts'
import { createRole, type RoleDetail } from '../../shared/api/roles.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import type { Grant, Permission } from '../../shared/permissions.ts'
import { bootstrapped, organizationOf, person } from '../helpers/factories.ts'
import { type Answer, type TestApp, testApp } from '../helpers/test-app.ts'

/** Helpers of the tests of roles: a company with an organization, roles in it and users who have them. */

export const grants = (...permissions: (Permission | '*:*' | 'devices:*')[]): Grant[] =>
  permissions.map((permission) => {
    const [resource = '', action = ''] = permission.split(':')
    return { resource, action }
  })

export const namesOf = (list: readonly Grant[]): string[] => list.map(({ resource, action }) => `${resource}:${action}`)

/** Status and code of a refusal. */
export const refusal = ({ status, body }: Answer<{ code?: string }>): unknown[] => [status, body.code]

type Wanted = Partial<NonNullable<InputOf<typeof createRole>['body']>>

export async function roleScene(env: Record<string, string> = {}) {
  const app = await testApp({ env: { HOMEPORT_LIMIT_LOGIN_EMAIL: '0/60', ...env } })
  const admin = await bootstrapped(app)
  const org = await organizationOf(app, admin.token)
  const make = async (wanted: Wanted = {}, token = admin.token): Promise<RoleDetail> => {
    const { status, body } = await app.call(createRole, { body: { name: 'Role', ...wanted } }, { token })
    if (status !== 201) throw new Error(`role: ${status} ${JSON.stringify(body)}`)
    return body
  }
  let people = 0
  /** A user with this role, in the company or the organization it belongs to, signed in. */
  const holder = async ({ id, orgId }: Pick<RoleDetail, 'id' | 'orgId'>) => {
    const email = `holder-${++people}@x.test`
    const place = orgId ? ({ scope: 'organization', orgId } as const) : ({ scope: 'partner' } as const)
    const who = await person(app, { email, partnerId: admin.partnerId, ...place })
    give(app, who.id, id)
    return who
  }
  /** A user with these permissions who may also manage people. */
  const manager = async (...permissions: Permission[]) => {
    const own = grants('users:read', 'users:write', 'users:delete', ...permissions)
    const role = await make({ name: 'Manager', permissions: own })
    return { role, ...(await holder(role)) }
  }
  const dispose = () => app[Symbol.asyncDispose]()
  return { app, admin, org, make, holder, manager, [Symbol.asyncDispose]: dispose }
}

/** Assigns the role directly, whatever the membership. */
export function give(app: TestApp, userId: string, roleId: string): void {
  for (const table of ['partner_users', 'organization_users'] as const)
    app.db.run(q.updateTable(table).set({ role_id: roleId }).where('user_id', '=', userId))
}

/** A grant that no call can make: older appliances may have them. */
export function grantDirectly(app: TestApp, roleId: string, { resource, action }: Grant): void {
  const permission = app.db.first(
    q.selectFrom('permissions').select('id').where('resource', '=', resource).where('action', '=', action),
  )
  const id = permission?.id ?? `${resource}-${action}`
  if (!permission) app.db.run(q.insertInto('permissions').values({ id, resource, action }))
  app.db.run(q.insertInto('role_permissions').values({ role_id: roleId, permission_id: id }))
}
