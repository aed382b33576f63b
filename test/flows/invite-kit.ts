import { expect } from 'vitest'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { acceptInvitation, acceptInvite, listInvitations, previewInvite } from '../../shared/api/invitations.ts'
import { inviteUser } from '../../shared/api/people.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { bootstrapped, organizationOf, otherCompany, person } from '../helpers/factories.ts'
import { linkIn, mailsOf, mailToFiles, tokenIn } from '../helpers/mail.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

export const chosen = 'Lantern-Orchard-42'
type Invitation = InputOf<typeof inviteUser>

/** A company with an organization, and a second company; mail goes to files unless `env` says otherwise. */
export async function inviteScene(env: Record<string, string> = {}) {
  const app = await testApp({ env: { ...mailToFiles, HOMEPORT_LIMIT_LOGIN_EMAIL: '0/60', ...env } })
  const admin = await bootstrapped(app)
  const org = await organizationOf(app, admin.token)
  const other = await otherCompany(app)
  const orgAdmin = await person(app, { email: 'olaf@x.test', name: 'Olaf', scope: 'organization', orgId: org.id })
  const roleOf = (name: string, scope: 'partner' | 'organization' = 'partner') =>
    findBuiltInRole(app.db, name, scope) as string
  const eve = { email: 'eve@x.test', name: 'Eve', roleId: roleOf('Partner Viewer') }
  const eveThere = { ...eve, roleId: roleOf('Org Viewer', 'organization') }
  const invite = (body: Partial<Invitation['body']> = {}, token = admin.token, query: Invitation['query'] = {}) =>
    app.call(inviteUser, { query, body: { ...eve, ...body } }, { token })
  const close = () => app[Symbol.asyncDispose]()
  return { app, admin, org, other, orgAdmin, roleOf, eve, eveThere, invite, [Symbol.asyncDispose]: close }
}

export const accept = (app: TestApp, token: string, password = chosen, remoteAddress = '127.0.0.1') =>
  app.call(acceptInvite, { body: { token, password } }, { remoteAddress })
/** Accepts all pending invitations of the holder of this token; returns the ids of the memberships. */
export async function acceptAll(app: TestApp, token: string): Promise<string[]> {
  const { data } = (await app.call(listInvitations, {}, { token })).body
  const accepted = await Promise.all(
    data.map(({ id }) => app.call(acceptInvitation, { params: { id }, body: {} }, { token })),
  )
  return accepted.map(({ body }) => body.membershipId)
}

export const preview = (app: TestApp, token: string) => app.call(previewInvite, { body: { token } })

/** The tokens of all invitations sent so far, oldest first. */
export const tokensSent = async (app: TestApp): Promise<string[]> =>
  (await mailsOf(app)).filter(({ kind }) => kind.startsWith('invitation')).map(tokenIn)
export const lastToken = async (app: TestApp): Promise<string> => (await tokensSent(app)).at(-1) as string
export const linkOf = linkIn
/** An appliance whose mail server is out of reach. */
export const deadMailServer = {
  EMAIL_PROVIDER: 'smtp',
  SMTP_HOST: '127.0.0.1',
  SMTP_PORT: '1',
  SMTP_FROM: 'box@x.test',
}
/** What an inviter is told where mail is not sent, and the link may be theirs to hand over. */
export const handedOver = { inviteEmailSent: false, inviteUrl: expect.any(String), warning: expect.any(String) }
/** An appliance that sends no mail. */
export const withoutMail = { EMAIL_PROVIDER: '' }
export const tokenOfUrl = (url: string | undefined): string => new URL(url ?? '').searchParams.get('token') ?? ''
