import { jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { type Clock, second } from '../../../platform/clock.ts'
import { randomHex, sha256 } from '../../../platform/secrets.ts'
import type { User } from '../../access/users/store.ts'

/** From one sign-in to the next. */
export const knownBrowserSeconds = 90 * 24 * 3600
/** People remembered for one browser; the one who signed in longest ago is forgotten first. */
const maxPeople = 8
const audience = 'known-browser'

type Owner = Pick<User, 'id' | 'password_hash'>

/** One person who has signed in from a browser. Only the appliance can tell who it is. */
const visit = z.object({
  /** What their wrong passwords in this browser are counted by. */
  id: z.string(),
  of: z.string(),
  untilMs: z.number(),
})
type Visit = z.infer<typeof visit>
const content = z.object({ visits: z.array(visit) })

/** Another password ends it: the stored hash is never twice the same. */
const bindingOf = (id: string, { id: userId, password_hash }: Owner) => sha256(`${id} ${userId} ${password_hash}`)

/** What a cookie says of the browser it came from. */
export class Visits {
  readonly #visits: readonly Visit[]

  constructor(visits: readonly Visit[]) {
    this.#visits = visits
  }

  /** Null for somebody who never signed in from there, or has another password since. */
  idFor(user: Owner): string | null {
    return this.#visits.find(({ id, of }) => of === bindingOf(id, user))?.id ?? null
  }

  /** The same with `user` as the last one who signed in. */
  after(user: Owner, untilMs: number): Visit[] {
    const id = this.idFor(user) ?? randomHex(16)
    const others = this.#visits.filter((visit) => visit.id !== id)
    return [{ id, of: bindingOf(id, user), untilMs }, ...others].slice(0, maxPeople)
  }
}

/**
 * Remembers in a signed cookie who has signed in from a browser (what OWASP calls a device cookie). The cookie opens
 * nothing; wrong passwords given there are counted apart, so that nobody can lock its owner out from elsewhere.
 */
export class KnownBrowsers {
  readonly #key: Uint8Array
  readonly #clock: Clock

  constructor(key: Uint8Array, clock: Clock) {
    this.#key = key
    this.#clock = clock
  }

  /** A cookie that is missing, has expired or was not made here says nothing. */
  async read(cookie: string | undefined): Promise<Visits> {
    const now = this.#clock.now()
    const options = { algorithms: ['HS256'], audience, currentDate: new Date(now), requiredClaims: ['exp'] }
    const verified = cookie ? await jwtVerify(cookie, this.#key, options).catch(() => null) : null
    const { data } = content.safeParse(verified?.payload)
    return new Visits(data?.visits.filter(({ untilMs }) => untilMs > now) ?? [])
  }

  /** The cookie after `user` has signed in in the browser with `cookie`. */
  async remember(cookie: string | undefined, user: Owner): Promise<string> {
    const expiresAt = Math.floor(this.#clock.now() / second) + knownBrowserSeconds
    const visits = (await this.read(cookie)).after(user, expiresAt * second)
    return new SignJWT({ visits })
      .setProtectedHeader({ alg: 'HS256' })
      .setAudience(audience)
      .setExpirationTime(expiresAt)
      .sign(this.#key)
  }
}
