import { knownBrowserCookie } from '../../server/features/authentication/sessions/cookies.ts'
import { login } from '../../shared/api/auth.ts'
import { password } from '../helpers/factories.ts'
import { mailToFiles } from '../helpers/mail.ts'
import type { TestApp } from '../helpers/test-app.ts'
import { CookieJar } from './kit.ts'

/** Mail goes to files, and no limit but that of wrong passwords is in the way. */
export const lockEnv = { ...mailToFiles, HOMEPORT_LIMIT_LOGIN_EMAIL: '0/60' }
export const wrong = 'Wrong1Horse'

let addresses = 0
/** No address is used twice: what is counted by address does not lock anybody here. */
const anotherAddress = () => `10.${(++addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`

/** A browser, with the cookies that it keeps from one sign-in to the next. */
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

  /** The status of a sign-in. */
  async signIn(email: string, secret = password): Promise<number> {
    return (await this.attempt(email, secret)).status
  }
}

/** Five wrong passwords, each from a browser that nobody knows. */
export const attack = (app: TestApp, email: string, times = 5) =>
  Promise.all(Array.from({ length: times }, () => new Browser(app).signIn(email, wrong)))
