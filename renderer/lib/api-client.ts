import { refresh as refreshEndpoint } from '../../shared/api/auth.ts'
import { backoffMs } from '../../shared/backoff.ts'
import { type Endpoint, type InputOf, pathOf, type ReplyOf } from '../../shared/endpoint.ts'
import type { ErrorCode } from '../../shared/errors/index.ts'
import { ApiError, errorFrom } from './api-error.ts'
import { pause } from './pause.ts'
import { isSameUser, type SessionUser, userInToken } from './session-user.ts'
import { assertValidBody, type StepUpAnswer, type StepUpPrompt, stepUpPromptFor } from './step-up.ts'

export interface ApiClientOptions {
  /** Origin of the API, such as `https://box.local:8443`. */
  origin: string
  readCsrfToken: () => string | undefined
  /** The session is over: it cannot be renewed, or another user signed in in this browser. */
  onEvicted: (reason: EvictionReason) => void
  /** The session exists, but nearly everything is refused: a factor has to be set up, or the account is inactive. */
  onBarred: (bar: AccessBlock) => void
  /** The user may not do what was requested. */
  onRefused?: () => void
  /** Asks the user to step up; null if they declined. */
  onProofWanted?: (question: StepUpPrompt) => Promise<StepUpAnswer | null>
  /** Pause before the first retry of a failed refresh, in milliseconds, 500 by default; doubles each time. */
  refreshBackoffMs?: number
}

export type EvictionReason = 'session-expired' | 'another-person' | 'another-tenant'
export type AccessBlock = 'unenrolled' | 'inactive'

type LooseInput = { params?: unknown; query?: unknown; body?: unknown; files?: readonly Blob[] }

/** Refusals for lack of permissions or reach. */
const permissionCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'permission_denied',
  'no_permissions',
  'insufficient_permissions',
  'full_partner_org_access_required',
])

/** Refusals for users of an inactive or deleted tenant. */
const closedCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'PARTNER_INACTIVE',
  'PARTNER_NOT_FOUND',
  'TENANT_INACTIVE',
])

const refreshAttempts = 4
const defaultRefreshBackoffMs = 500
const raceWaitMs = 200
/** A refusal with a longer wait is reported at once. */
const longestSilentWaitMs = 5000

/**
 * Calls contract endpoints. The access token is only in memory; the refresh token is in a cookie that all tabs of the
 * browser share. Each client therefore remembers its user and never acts for another one by itself.
 */
export class ApiClient {
  readonly #options: ApiClientOptions
  #accessToken: string | null = null
  #owner: SessionUser | null = null
  #refreshing: Promise<boolean> | null = null
  #isRetired = false
  readonly #asking = new Map<StepUpPrompt['kind'], Promise<StepUpAnswer | null>>()

  constructor(options: ApiClientOptions) {
    this.#options = options
  }

  /** The reply of a successful call. @throws ApiError */
  async call<E extends Endpoint>(endpoint: E, input: InputOf<E>, signal?: AbortSignal): Promise<ReplyOf<E>> {
    const response = await this.open(endpoint, input, signal)
    return (await response.json()) as ReplyOf<E>
  }

  /** Uploads files; a `File` goes by its name. @throws ApiError */
  async upload<E extends Endpoint>(endpoint: E, input: InputOf<E>, ...files: Blob[]): Promise<ReplyOf<E>> {
    const response = await this.open(endpoint, input, undefined, files)
    return (await response.json()) as ReplyOf<E>
  }

  /**
   * The raw reply of a successful call; if the server asks for a step-up, the user is asked and the call repeated.
   * @throws ApiError
   */
  async open<E extends Endpoint>(
    endpoint: E,
    input: InputOf<E>,
    signal?: AbortSignal,
    files?: readonly Blob[],
  ): Promise<Response> {
    const prompted = new Set<StepUpPrompt['kind']>()
    const caller = this.#owner
    for (let given: LooseInput = { ...input, ...(files && { files }) }; ; ) {
      try {
        return await this.#attempt(endpoint, given, signal)
      } catch (error) {
        const question = stepUpPromptFor(error, prompted)
        // An invalid request is refused before the user is asked.
        if (question?.kind === 'factor') assertValidBody(endpoint.body, given.body)
        const proof = question && (await this.#ask(question))
        if (!question || !proof || !this.#isStill(caller)) throw error
        prompted.add(question.kind)
        given = { ...given, ...(proof.currentPassword && { body: { ...(given.body as object), ...proof } }) }
      }
    }
  }

  /** Where the browser itself finds what an endpoint answers. */
  addressOf<E extends Endpoint>(endpoint: E, input: InputOf<E>): string {
    return this.#options.origin + urlOf(endpoint, input)
  }

  signIn(token: string): void {
    this.#isRetired = false
    this.#accessToken = token
    this.#owner = userInToken(token)
  }

  /** The user of this client; after the session ended by itself, the former one. */
  owner(): SessionUser | null {
    return this.#owner
  }

  token(): string | null {
    return this.#accessToken
  }

  isSignedIn(): boolean {
    return this.#accessToken !== null
  }

  signOut(): void {
    this.#accessToken = null
    this.#owner = null
  }

  /** The session ended, but the same user may resume it. */
  suspend(): void {
    this.#accessToken = null
  }

  /**
   * Another user, or the same user in another tenant, is signed in in this browser. This page stops using the session
   * until it is loaded anew or somebody signs in on it.
   */
  yieldTo({ id }: Pick<SessionUser, 'id'>): void {
    const reason = this.#owner?.id === id ? 'another-tenant' : 'another-person'
    this.#isRetired = true
    this.signOut()
    this.#options.onEvicted(reason)
  }

  /**
   * Continues with the browser's session if it belongs to the same user. One refresh at a time, in this tab and, with the
   * Web Locks API, among all tabs: a refresh token works once.
   */
  renew(): Promise<boolean> {
    if (this.#isRetired) return Promise.resolve(false)
    this.#refreshing ??= acrossTabs(() => this.#rotate()).finally(() => {
      this.#refreshing = null
    })
    return this.#refreshing
  }

  /** Runs a sign-in that replaces the session. Until it is done, no tab refreshes the old one. */
  async insteadOfRefresh(signIn: () => Promise<void>): Promise<void> {
    const arrival = acrossTabs(signIn)
    this.#refreshing = arrival.then(
      () => true,
      () => false,
    )
    try {
      await arrival
    } finally {
      this.#refreshing = null
    }
  }

  /** Whether there is a session; tries the refresh cookie if necessary. */
  async restore(): Promise<boolean> {
    if (this.#accessToken) return true
    return this.#refreshing ?? (this.#options.readCsrfToken() ? this.renew() : false)
  }

  async #rotate(): Promise<boolean> {
    for (const failures: ApiError[] = []; ; ) {
      const error = await this.#tryRefresh()
      if (!error) return true
      const waitMs = pauseAfter(error, failures, this.#options.refreshBackoffMs ?? defaultRefreshBackoffMs)
      if (waitMs === null) return false
      failures.push(error)
      await pause(waitMs)
    }
  }

  async #tryRefresh(): Promise<ApiError | null> {
    const { origin, readCsrfToken } = this.#options
    try {
      const response = await request(origin + urlOf(refreshEndpoint, {}), {
        method: refreshEndpoint.method,
        headers: { 'x-svc-csrf': readCsrfToken() ?? '' },
        // A reload must not lose the new cookie, because the old one is used up.
        keepalive: true,
      })
      if (!response.ok) return errorFrom(response)
      const reply = (await response.json()) as ReplyOf<typeof refreshEndpoint>
      const holder = userInToken(reply.tokens.accessToken)
      if (this.#owner && !isSameUser(this.#owner, holder)) {
        this.yieldTo(holder)
        return new ApiError(401, 'invalid_refresh_token')
      }
      this.#accessToken = reply.tokens.accessToken
      this.#owner = holder
      return null
    } catch (error) {
      if (error instanceof ApiError) return error
      throw error
    }
  }

  async #send(endpoint: Endpoint, input: LooseInput, signal?: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = {}
    if (this.#accessToken && endpoint.access.who !== 'public') headers.authorization = `Bearer ${this.#accessToken}`
    if (input.body !== undefined) headers['content-type'] = 'application/json'
    return request(this.#options.origin + urlOf(endpoint, input), {
      method: endpoint.method,
      headers,
      signal: signal ?? null,
      // Cacheable replies, such as pictures, are revalidated before use.
      cache: 'no-cache',
      ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
      ...(input.files && { body: formWith(input.files) }),
    })
  }

  /** The raw reply of a successful call; a 401 is answered with one refresh and one retry. */
  async #attempt(endpoint: Endpoint, input: LooseInput, signal?: AbortSignal): Promise<Response> {
    const usedToken = this.#accessToken
    const caller = this.#owner
    let response = await this.#send(endpoint, input, signal)
    if (response.status === 401 && endpoint.access.who !== 'public') {
      const isRenewed = this.#accessToken !== usedToken || (await this.renew())
      if (!isRenewed) this.#evict()
      if (!isRenewed || !this.#isStill(caller)) throw await errorFrom(response)
      response = await this.#send(endpoint, input, signal)
      if (response.status === 401) this.#evict()
    }
    if (response.ok) return response
    const error = await errorFrom(response)
    const bar = barOf(error)
    if (bar) this.#options.onBarred(bar)
    if (permissionCodes.has(error.code)) this.#options.onRefused?.()
    throw error
  }

  /** Calls that wait for the same prompt share it. */
  #ask(question: StepUpPrompt): Promise<StepUpAnswer | null> {
    const answer =
      this.#asking.get(question.kind) ??
      (this.#options.onProofWanted?.(question) ?? Promise.resolve(null)).finally(() =>
        this.#asking.delete(question.kind),
      )
    this.#asking.set(question.kind, answer)
    return answer
  }

  #evict(): void {
    if (this.#accessToken === null) return
    this.#accessToken = null
    this.#options.onEvicted('session-expired')
  }

  /** A call of one user is never sent in the name of the next. */
  #isStill(caller: SessionUser | null): boolean {
    return caller === null || (this.#owner !== null && isSameUser(this.#owner, caller))
  }
}

function formWith(files: readonly Blob[]): FormData {
  const form = new FormData()
  for (const file of files) form.append('file', file)
  return form
}

function barOf({ status, code }: ApiError): AccessBlock | null {
  if (status === 428 && code === 'mfa_enrollment_required') return 'unenrolled'
  return status === 403 && closedCodes.has(code) ? 'inactive' : null
}

/** Milliseconds to wait before the next try, null for none left; throws errors that do not pass by themselves. */
function pauseAfter(error: ApiError, before: ApiError[], firstMs: number): number | null {
  if (error.code === 'refresh_raced') return before.some(({ code }) => code === error.code) ? null : raceWaitMs
  if (error.isForAddress) throw error
  if (!error.isTransient) return null
  const waitMs = error.retryAfter
    ? error.retryAfter * 1000
    : backoffMs(before.length + 1, { firstMs, capMs: Number.POSITIVE_INFINITY })
  if (before.length + 1 >= refreshAttempts || waitMs > longestSilentWaitMs) throw error
  return waitMs
}

function urlOf(endpoint: Endpoint, { params, query }: LooseInput): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString()
  return `/api/v1${pathOf(endpoint, params)}${search && `?${search}`}`
}

async function request(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError(0, 'network')
  }
}

// The Web Locks API needs a secure origin; without it, the server's grace period covers races between tabs.
const acrossTabs = <Result>(work: () => Promise<Result>): Promise<Result> =>
  'locks' in navigator ? navigator.locks.request('homeport.refresh', work) : work()
