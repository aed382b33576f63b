import { knownBrowserCookie } from '../../server/features/authentication/sessions/cookies.ts'
import { login } from '../../shared/api/auth.ts'
import { password } from '../helpers/factories.ts'
import { mailToFiles } from '../helpers/mail.ts'
import type { TestApp } from '../helpers/test-app.ts'
import { CookieJar } from './kit.ts'

/** Mail goes to files, and only wrong passwords are limited. */
export const lockEnv = { ...mailToFiles, HOMEPORT_LIMIT_LOGIN_EMAIL: '0/60' }
export const wrong = 'Wrong1Horse'

let addresses = 0
/** A new address for every call, so that no limit by address applies. */
const anotherAddress = () => `10.${(++addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`

/** A browser with the cookies it keeps between sign-ins. */
export class Browser {
  readonly jar = new CookieJar()
  readonly #app: TestApp

  constructor(app: TestApp) {
    this.#app = app
  }

  get headers(): Record<string, string> {
    return this.jar.cookies.size > 0 ? { cookie: this.jar.header } : {}
  }

  get knownBy(): string | undefined {
    return this.jar.cookies.get(knownBrowserCookie)
  }

  async attempt(email: string, secret = password) {
    const { headers } = this
    const answer = await this.#app.call(
      login,
      { body: { email, password: secret } },
      { headers, remoteAddress: anotherAddress() },
    )
    this.jar.take(answer)
    return answer
  }

  /** Signs in; returns the status. */
  async signIn(email: string, secret = password): Promise<number> {
    return (await this.attempt(email, secret)).status
  }
}

/** Five wrong passwords, each from an unknown browser. */
export const attack = (app: TestApp, email: string, times = 5) =>
  Promise.all(Array.from({ length: times }, () => new Browser(app).signIn(email, wrong)))
