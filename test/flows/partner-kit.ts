import {
  createPartner,
  listPartners,
  readOwnPartner,
  readPartner,
  removePartner,
  updateOwnPartner,
  updatePartner,
} from '../../shared/api/partners.ts'
import { showFactor } from '../contract/stage.ts'
import { bootstrapped, person } from '../helpers/factories.ts'
import { testApp } from '../helpers/test-app.ts'

export const behindProxy = { TRUST_PROXY_HEADERS: 'true', TRUSTED_PROXY_CIDRS: '127.0.0.0/8' }
export const client = { 'x-forwarded-for': '203.0.113.9' }

/** A company with its administrator, and an operator who has shown a second factor. */
export async function platform(env: Record<string, string> = {}) {
  const app = await testApp({ env })
  const admin = await bootstrapped(app)
  const operator = await person(app, { email: 'operator@platform.test', scope: 'system' })
  showFactor(app, operator.id)
  const asOperator = (headers: Record<string, string> = client) => ({ token: operator.token, headers })
  const asAdmin = { token: admin.token, headers: client }
  return {
    app,
    admin,
    operator,
    list: (query: { page?: string; limit?: string } = {}) => app.call(listPartners, { query }, asOperator()),
    create: (body: object, headers?: Record<string, string>) =>
      app.call(createPartner, { body: body as never }, asOperator(headers)),
    read: (id: string = admin.partnerId) => app.call(readPartner, { params: { id } }, asOperator()),
    patch: (body: unknown, id: string = admin.partnerId, headers?: Record<string, string>) =>
      app.call(updatePartner, { params: { id }, body: body as never }, asOperator(headers)),
    remove: (id: string = admin.partnerId) => app.call(removePartner, { params: { id } }, asOperator()),
    readOwn: () => app.call(readOwnPartner, {}, asAdmin),
    patchOwn: (body: unknown) => app.call(updateOwnPartner, { body: body as never }, asAdmin),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

export const answer = ({ status, body }: { status: number; body: { error?: string | undefined } }) => [
  status,
  body.error,
]
