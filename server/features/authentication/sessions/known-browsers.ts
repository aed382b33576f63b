import { jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { type Clock, second } from '../../../platform/clock.ts'
import { randomHex, sha256 } from '../../../platform/secrets.ts'
import type { User } from '../../access/index.ts'

/** How long a browser is remembered after a sign-in. */
export const knownBrowserSeconds = 90 * 24 * 3600
/** Users remembered for one browser; the one who signed in longest ago is dropped first. */
const maxUsers = 8
const audience = 'known-browser'

type Account = Pick<User, 'id' | 'password_hash'>

/** One user who has signed in from a browser; the cookie does not reveal who it is. */
const visit = z.object({
  /** Key under which wrong passwords of this user in this browser are counted. */
  id: z.string(),
  of: z.string(),
  untilMs: z.number(),
})
type Visit = z.infer<typeof visit>
const content = z.object({ visits: z.array(visit) })

/** Bound to the password hash, which is salted: a change of password ends the visit. */
const bindingOf = (id: string, { id: userId, password_hash }: Account) => sha256(`${id} ${userId} ${password_hash}`)

/** The users who have signed in from the browser that sent a cookie. */
export class Visits {
  readonly #visits: readonly Visit[]

  constructor(visits: readonly Visit[]) {
    this.#visits = visits
  }

  /** Null for a user who never signed in from that browser, or has changed the password since. */
  idFor(user: Account): string | null {
    return this.#visits.find(({ id, of }) => of === bindingOf(id, user))?.id ?? null
  }

  /** The visits after `user` has signed in, most recent first. */
  after(user: Account, untilMs: number): Visit[] {
    const id = this.idFor(user) ?? randomHex(16)
    const others = this.#visits.filter((visit) => visit.id !== id)
    return [{ id, of: bindingOf(id, user), untilMs }, ...others].slice(0, maxUsers)
  }
}

/**
 * Remembers in a signed cookie who has signed in from a browser: OWASP's "device cookie". The cookie grants nothing; wrong
 * passwords entered in a known browser are counted apart, so that an attacker elsewhere cannot lock its user out.
 */
export class KnownBrowsers {
  readonly #key: Uint8Array
  readonly #clock: Clock

  constructor(key: Uint8Array, clock: Clock) {
    this.#key = key
    this.#clock = clock
  }

  /** A cookie that is missing, expired or not signed by this appliance counts as empty. */
  async read(cookie: string | undefined): Promise<Visits> {
    const now = this.#clock.now()
    const options = { algorithms: ['HS256'], audience, currentDate: new Date(now), requiredClaims: ['exp'] }
    const verified = cookie ? await jwtVerify(cookie, this.#key, options).catch(() => null) : null
    const { data } = content.safeParse(verified?.payload)
    return new Visits(data?.visits.filter(({ untilMs }) => untilMs > now) ?? [])
  }

  /** The value of the cookie after `user` has signed in from the browser that sent `cookie`. */
  async remember(cookie: string | undefined, user: Account): Promise<string> {
    const expiresAt = Math.floor(this.#clock.now() / second) + knownBrowserSeconds
    const visits = (await this.read(cookie)).after(user, expiresAt * second)
    return new SignJWT({ visits })
      .setProtectedHeader({ alg: 'HS256' })
      .setAudience(audience)
      .setExpirationTime(expiresAt)
      .sign(this.#key)
  }
}
