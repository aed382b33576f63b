import type { InjectOptions } from 'fastify'
import { generateSync } from 'otplib'
import { q } from '../../server/db/query.ts'
import { knownBrowserCookie } from '../../server/features/authentication/sessions/cookies.ts'
import { login, refresh } from '../../shared/api/auth.ts'
import { mfaEnable, mfaSetup } from '../../shared/api/mfa.ts'
import { holdPasswordCheck } from '../helpers/password-check.ts'
import { pathOf, type TestApp } from '../helpers/test-app.ts'

export interface AuditRow {
  action: string
  result: string
  org_id: string | null
  partner_id: string | null
  resource_id: string | null
  details: string
}

export const auditOf = (app: TestApp, action?: string): AuditRow[] =>
  (app.db.statement('SELECT * FROM audit_logs ORDER BY seq').all() as AuditRow[]).filter(
    (row) => action === undefined || row.action === action,
  )

/** The cookies of the appliance as a browser keeps them, by name. */
export class CookieJar {
  readonly cookies = new Map<string, string>()

  take(answer: { cookies: { name: string; value: string; maxAge?: number }[] }): this {
    for (const { name, value, maxAge } of answer.cookies)
      if (value === '' || maxAge === 0) this.cookies.delete(name)
      else this.cookies.set(name, value)
    return this
  }

  get header(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** The cookies of a session; the cookie of a known browser is kept when the session ends. */
  get ofSession(): string[] {
    return [...this.cookies.keys()].filter((name) => name !== knownBrowserCookie)
  }

  copy(): CookieJar {
    const jar = new CookieJar()
    for (const [name, value] of this.cookies) jar.cookies.set(name, value)
    return jar
  }
}

export async function signedInJar(app: TestApp, email: string, password: string) {
  const answer = await app.call(login, { body: { email, password } })
  if (!answer.body.tokens) throw new Error(`sign-in of ${email}: ${JSON.stringify(answer.body)}`)
  return { jar: new CookieJar().take(answer), token: answer.body.tokens.accessToken }
}

/** A refresh as a browser script sends it; `headers` make it another caller. */
export async function refreshWith(app: TestApp, jar: CookieJar, headers: InjectOptions['headers'] = {}) {
  const response = await app.inject({
    method: 'POST',
    url: `/api/v1${pathOf(refresh)}`,
    headers: { cookie: jar.header, 'x-svc-csrf': '1', ...headers },
  })
  return {
    status: response.statusCode,
    body: response.json<{ tokens?: { accessToken: string }; code?: string; reason?: string; error?: string }>(),
    cookies: response.cookies,
    setCookie: ([] as string[]).concat(response.headers['set-cookie'] ?? []),
  }
}

/** The claims of a token. */
export const claimsIn = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

/** The current code of an authenticator app, or the one `steps` steps of thirty seconds away. */
export const codeOf = (app: TestApp, secret: string, steps = 0): string =>
  generateSync({ secret, epoch: Math.floor(app.clock.now() / 1000) + steps * 30 })

/** Enrols an authenticator app for the holder of the token; the clock moves on, so that the next code is a new one. */
export async function withFactor(app: TestApp, token: string) {
  const { body: setup } = await app.call(mfaSetup, {}, { token })
  const enabled = await app.call(mfaEnable, { body: { code: codeOf(app, setup.secret) } }, { token })
  if (enabled.status !== 200) throw new Error(`enabling: ${JSON.stringify(enabled.body)}`)
  app.clock.advance(60_000)
  return { setup, enabled, secret: setup.secret, recoveryCodes: setup.recoveryCodes }
}

/** Runs `happens` while the password of a call is checked, as slow hashing would allow; returns the reply of `call`. */
export async function whileJudged<T>(
  app: TestApp,
  userId: string,
  call: () => Promise<T>,
  happens: () => unknown,
): Promise<T> {
  const user = app.db.first(q.selectFrom('users').select('password_hash').where('id', '=', userId))
  const { begun, release } = holdPasswordCheck(user?.password_hash ?? '')
  const answer = call()
  await begun
  await happens()
  release()
  return answer
}
