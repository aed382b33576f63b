import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { Agent, type Cookie, fetch, getSetCookies, Headers } from 'undici'
import { applianceOrigin, callbackPath, type OpenIdProvider } from './openid-provider.ts'
import type { TestApp } from './test-app.ts'

type Kept = Cookie & { host: string }

/** Cookies as a browser keeps them: each goes back to the host and below the path it came from. */
class Cookies {
  #kept: Kept[] = []

  take(url: URL, headers: Headers): void {
    for (const cookie of getSetCookies(headers)) {
      const isSame = (kept: Kept) => kept.host === url.host && kept.name === cookie.name && kept.path === cookie.path
      this.#kept = this.#kept.filter((kept) => !isSame(kept))
      const isOver = cookie.maxAge === 0 || (cookie.expires !== undefined && Number(cookie.expires) < Date.now())
      if (!isOver) this.#kept.push({ ...cookie, host: url.host })
    }
  }

  /** Those that go along with a request to this address. */
  for(url: URL): Kept[] {
    const isBelow = (path: string) => path === url.pathname || url.pathname.startsWith(path.replace(/\/?$/, '/'))
    return this.#kept.filter(({ host, path }) => host === url.host && isBelow(path ?? '/'))
  }
}

/** Where a sign-in ends: a page of the console, or the answer that led no further. */
export interface Landing {
  url: URL
  /** The console's page as it stands in the address bar. */
  path: string
  status: number
  body: string
  headers: Headers
}

let computers = 0

/** A browser without a window: follows redirects between the appliance (by inject) and the provider (by TLS). */
export class SsoBrowser implements AsyncDisposable {
  readonly cookies = new Cookies()
  /** Each browser is at a computer of its own: none uses up the limit of another. */
  readonly remoteAddress = `10.7.${(computers >> 8) & 255}.${computers++ & 255}`
  readonly #app: TestApp
  readonly #provider: OpenIdProvider
  readonly #agent: Agent

  constructor(app: TestApp, provider: OpenIdProvider) {
    this.#app = app
    this.#provider = provider
    this.#agent = new Agent({ connect: { ca: provider.caPem } })
  }

  /** From the start of a sign-in, or from an authorization address, to the callback, which is not visited yet. */
  callbackFrom = async (start: string): Promise<URL> => {
    const { url } = await this.#follow(start, isCallback)
    if (!isCallback(url)) throw new Error(`ended at ${url}`)
    return url
  }

  /** Follows an address to its end. */
  visit = (start: string | URL): Promise<Landing> => this.#follow(start)

  /** Sends the form of the provider's page and follows where that leads, up to the callback. */
  submit = (page: URL, fields: Record<string, string>): Promise<Landing> => this.#follow(page, isCallback, fields)

  /** A request to the appliance with this browser's cookies, as a page of the console sends it. */
  async inject(options: InjectOptions & { url: string }): Promise<LightMyRequestResponse> {
    const url = new URL(options.url, applianceOrigin)
    const cookie = this.cookieHeader(url)
    const headers = { ...(cookie && { cookie }), ...options.headers }
    const response = await this.#app.inject({ remoteAddress: this.remoteAddress, ...options, headers })
    this.cookies.take(url, headersOf(response))
    return response
  }

  cookieHeader = (url: URL): string =>
    this.cookies
      .for(url)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')

  async #follow(
    start: string | URL,
    isEnough: (url: URL) => boolean = () => false,
    form?: Record<string, string>,
  ): Promise<Landing> {
    let landing = here(new URL(start, applianceOrigin))
    for (let hops = 0; hops < 12; hops++) {
      const { url } = landing
      const isPage = url.origin === applianceOrigin && !url.pathname.startsWith('/api/')
      if (isPage || isEnough(url) || ![applianceOrigin, this.#provider.issuer].includes(url.origin)) return landing
      const answer = await this.#ask(url, hops === 0 ? form : undefined)
      const location = answer.headers.get('location')
      if (!location) return { ...landing, ...answer }
      landing = { ...here(new URL(location, url)), ...answer }
    }
    throw new Error(`no end of redirects at ${landing.url}`)
  }

  async #ask(url: URL, form?: Record<string, string>): Promise<Pick<Landing, 'status' | 'body' | 'headers'>> {
    if (url.origin === applianceOrigin) {
      const response = await this.inject({ method: 'GET', url: url.pathname + url.search })
      return { status: response.statusCode, body: response.body, headers: headersOf(response) }
    }
    const response = await fetch(url, {
      redirect: 'manual',
      dispatcher: this.#agent,
      headers: { cookie: this.cookieHeader(url) },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    this.cookies.take(url, response.headers)
    return { status: response.status, body: await response.text(), headers: response.headers }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#agent.close()
  }
}

/** What one answer of the appliance says, as if a browser had gone there. */
export function landingOf(response: LightMyRequestResponse): Landing {
  const { statusCode: status, body, headers } = response
  return {
    ...here(new URL(String(headers.location ?? ''), applianceOrigin)),
    status,
    body,
    headers: headersOf(response),
  }
}

const isCallback = (url: URL): boolean => url.origin === applianceOrigin && url.pathname === callbackPath

const here = (url: URL): Landing => ({
  url,
  path: url.pathname + url.search + url.hash,
  status: 0,
  body: '',
  headers: new Headers(),
})

function headersOf(response: LightMyRequestResponse): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(response.headers))
    for (const one of [value].flat()) if (one !== undefined) headers.append(name, String(one))
  return headers
}
